import type { Database } from '../database.ts';
import type { ImportStatus } from '../imports/models.ts';
import { queryRows } from '../statement.ts';

/** The imports of one hour, in all organizations. */
export interface ImportHour {
  readonly startsAt: Date;
  /** Those that ended in it, by status. */
  readonly ended: Readonly<Partial<Record<ImportStatus, number>>>;
  /** The longest time for which an import had waited, whenever that was measured; null: it was not measured. */
  readonly longestWaitSeconds: number | null;
}

/** The number of rejected imports that had a problem with this code. */
export interface RejectionCount {
  readonly code: string;
  readonly imports: number;
}

const HOUR = `date_trunc('hour', now(), 'UTC')`;

/*
 * Counts whole hours again: the current one, the one before while transactions of it may still be open, and all since
 * the last one that was counted. A count never falls, although failed imports are retried. The two parts of `ended` are
 * what the indexes on finished_at have.
 */
const ROLL_UP = `
  with since as (
    select greatest(
      least(coalesce(max(hour), '-infinity'), date_trunc('hour', now() - interval '5 minutes', 'UTC')),
      date_trunc('hour', now() - interval '1 day', 'UTC')) as at
    from import_hours
  ), ended as materialized (
    select date_trunc('hour', finished_at, 'UTC') as hour, status, errors from imports
    where archive_key is not null and finished_at is not null and finished_at >= (select at from since)
    union all
    select date_trunc('hour', finished_at, 'UTC'), status, errors from imports
    where archive_key is null and finished_at >= (select at from since)
  )
  insert into import_hours as h (hour, kind, name, value)
  select hour, 'ended', status, count(*) from ended group by hour, status
  union all
  select hour, 'rejection', code, count(*)
  from ended cross join lateral (
    select distinct problem->>'code' as code from jsonb_array_elements(errors) as problem
  ) as problems
  where status = 'rejected' group by hour, code
  union all
  select ${HOUR}, 'wait', '',
    coalesce(greatest(extract(epoch from now() - min(queued_at)), 0), 0)::float8
  from imports where status = 'queued'
  on conflict (hour, kind, name) do update set value = excluded.value where h.value < excluded.value`;

/** Counts the imports of the last hours, and measures how long the oldest queued one has been waiting. */
export async function rollUpImports(database: Database): Promise<void> {
  await database.raw(ROLL_UP);
}

const READ = `
  select hours.hour as starts_at, coalesce(jsonb_object_agg(name, value) filter (where kind = 'ended'), '{}') as ended,
    max(value) filter (where kind = 'wait') as longest_wait_seconds
  from (select ${HOUR} - ago * interval '1 hour' as hour from generate_series(0, :hours::int - 1) as ago) as hours
    left join (
      select * from import_hours where hour > ${HOUR} - :hours::int * interval '1 hour' and kind in ('ended', 'wait')
    ) as h on h.hour = hours.hour
  group by hours.hour order by hours.hour`;

/** The last hours, the current one included; the oldest comes first. */
export async function readImportHours(database: Database, hours: number): Promise<readonly ImportHour[]> {
  return queryRows<ImportHour>(database, READ, { hours });
}

const REJECTIONS = `
  select name as code, sum(value)::bigint as imports from import_hours
  where kind = 'rejection' and hour > ${HOUR} - :hours::int * interval '1 hour'
  group by name order by imports desc, name`;

/** The number of imports of the last hours that were rejected for each code, the most frequent first. */
export async function countRejections(database: Database, hours: number): Promise<readonly RejectionCount[]> {
  return queryRows<RejectionCount>(database, REJECTIONS, { hours });
}
