import type { Database } from '../database.ts';
import { queryRows, queryRow } from '../statement.ts';
import type { ModuleKey } from '../modules/models.ts';
import { visibleRevision } from '../modules/visible-revision.ts';

/** The numbers of a module on one day in UTC. */
export interface ModuleDay {
  /** As YYYY-MM-DD. */
  readonly day: string;
  readonly calls: number;
  readonly alerts: number;
}

/** Today, by the database's clock. */
const TODAY = `(now() at time zone 'UTC')::date`;

// In the order of the key: two processes that add to the same rows wait for each other, and never in a circle.
const ADD_CALLS = `
  insert into module_days as d (module_id, kind, day, count)
  select module_id, 'calls', ${TODAY}, count
  from unnest(:moduleIds::uuid[], :counts::bigint[]) as added (module_id, count) order by module_id
  on conflict (module_id, kind, day) do update set count = d.count + excluded.count`;

/** Adds calls to today's of their modules: one statement for many. */
export async function addCalls(database: Database, calls: ReadonlyMap<string, number>): Promise<void> {
  await database.raw(ADD_CALLS, { moduleIds: [...calls.keys()], counts: [...calls.values()] });
}

/*
 * Counts whole days again: the current one, the one before while transactions of it may still be open, and all since the
 * last one that was counted. A count never falls, although alerts are deleted.
 */
const ROLL_UP_ALERTS = `
  insert into module_days as d (module_id, kind, day, count)
  select module_id, 'alerts', (created_at at time zone 'UTC')::date as day, count(*) from alerts
  where created_at >= (
    select greatest(
      least(coalesce(max(day), '-infinity'), ((now() - interval '1 hour') at time zone 'UTC')::date), ${TODAY} - :days::int
    )::timestamp at time zone 'UTC'
    from module_days where kind = 'alerts')
  group by module_id, day order by module_id, day
  on conflict (module_id, kind, day) do update set count = excluded.count where d.count < excluded.count`;

/** Counts the alerts of each module by the day on which it raised them; `days` are kept. */
export async function rollUpAlerts(database: Database, days: number): Promise<void> {
  await database.raw(ROLL_UP_ALERTS, { days });
}

const READ_DAYS = `
  select to_char(days.day, 'YYYY-MM-DD') as day, coalesce(sum(count) filter (where kind = 'calls'), 0)::bigint as calls,
    coalesce(sum(count) filter (where kind = 'alerts'), 0)::bigint as alerts
  from (select ${TODAY} - ago as day from generate_series(0, :days::int - 1) as ago) as days
    left join (
      select day, kind, count from module_days
      where module_id = :moduleId and kind in ('calls', 'alerts') and day > ${TODAY} - :days::int
    ) as d on d.day = days.day
  group by days.day order by days.day`;

/** The numbers of a module on each of the last days, the current one included; the oldest comes first. */
export async function readModuleDays(database: Database, moduleId: string, days: number) {
  return queryRows<ModuleDay>(database, READ_DAYS, { moduleId, days });
}

/** The current numbers of a module. */
export interface ModuleFigures {
  /** Keys that are neither revoked nor expired. */
  readonly activeKeys: number;
  /** The newest revision comes first. */
  readonly installations: readonly { readonly revision: number; readonly organizations: number }[];
}

const READ_FIGURES = `
  select
    (select count(*) from api_keys k
     where k.organization_id = m.organization_id and k.module_id = m.id and k.revoked_at is null and k.expires_at > now()
    ) as active_keys,
    (select coalesce(jsonb_agg(jsonb_build_object('revision', revision, 'organizations', organizations)
       order by revision desc), '[]')
     from (
       select ${visibleRevision('m', 'i.organization_id')} as revision, count(*) as organizations
       from installations i where i.module_id = m.id group by revision
     ) as installed
     where revision is not null
    ) as installations
  from modules m
  where m.id = :moduleId and m.organization_id = :organizationId and m.deleted_at is null`;

/** The active keys of a module and its installations by the revision that they see; null: there is no such module. */
export async function readModuleFigures(database: Database, { organizationId, moduleId }: ModuleKey) {
  return queryRow<ModuleFigures>(database, READ_FIGURES, { organizationId, moduleId });
}

/** A module that is being written is counted the next time. */
const COUNT_INSTALLATIONS = `
  with counted as (select module_id, count(*)::int as installations from installations group by module_id),
  changed as (
    select m.id, coalesce(c.installations, 0) as installations
    from modules m left join counted c on c.module_id = m.id
    where m.installations <> coalesce(c.installations, 0)
    for no key update of m skip locked
  )
  update modules m set installations = changed.installations from changed where m.id = changed.id`;

/** Stores how many organizations have each module installed. */
export async function countInstallations(database: Database): Promise<void> {
  await database.raw(COUNT_INSTALLATIONS);
}
