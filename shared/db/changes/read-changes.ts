import { declaringModule, isDeclaredTo } from '../access/module-grants.ts';
import { isSuspended } from '../access/suspension-state.ts';
import type { Database } from '../database.ts';
import { isQuarantined } from '../modules/quarantine-state.ts';
import { preparedStatement, queryRow, queryRows } from '../statement.ts';
import { cursorAfter, OLDEST, type ChangeCursor, type StoredChange } from './change-item.ts';
import type { ChangeType } from './change-types.ts';

/** The filter of a module's changes, and the key that reads them. */
export interface ChangeQuery {
  readonly keyId: string;
  readonly moduleId: string;
  readonly after: ChangeCursor;
  /** Null: of every type. */
  readonly types: readonly ChangeType[] | null;
  /** The most changes that are read; those that the module may not see are left out. */
  readonly limit: number;
}

/** The data areas that some types need, by their IDs. */
export type NeededAreas = readonly (readonly [dataAreaId: string, types: readonly string[]])[];

/** Changes in order, and where to go on. */
export interface ChangePage {
  readonly rows: readonly StoredChange[];
  readonly next: ChangeCursor;
  /** Whether there were as many as the limit: more may follow at once. */
  readonly hasMore: boolean;
}

/** Why changes cannot be read: the key does not work any more, or what follows the cursor is not kept, or never was. */
export type ChangesRefusal = 'key-ended' | 'expired';

interface State {
  readonly isValid: boolean;
  readonly isKnown: boolean;
  readonly head: number;
  readonly headMark: string | null;
}

type FoundRow = State & StoredChange & { readonly isGranted: boolean };

/*
 * One statement, so that consent, changes and the newest position belong to one state. A reader of the newest position
 * of all modules has missed nothing of this one. After a restore from a backup, or a failover that lost the last
 * changes, a position may be that of another change than before: its mark differs.
 */
const granted = (dataArea: string) => `exists (
  select from installations i, ${declaringModule(':moduleId::uuid', dataArea)} m
  where i.module_id = :moduleId::uuid and i.organization_id = c.organization_id
    and ${dataArea}::uuid = any(i.accepted_data_area_ids) and ${isDeclaredTo('m', 'i.organization_id')})`;

const HORIZON_AND_NEWEST = `
  change_horizon h left join (select position, id from changes order by position desc limit 1) newest on true`;
const NEWEST_CURSOR = `coalesce(newest.position, h.position) as head,
  case when newest.position is null then h.mark else left(newest.id::text, 8) end as head_mark`;

const READ = preparedStatement(`
  with state as materialized (
    select ${NEWEST_CURSOR},
      :after::bigint = 0 or (:after::bigint, :mark::text) is not distinct from (h.position, h.mark)
        or exists (select from changes where position = :after::bigint and left(id::text, 8) = :mark::text) as is_known,
      exists (
        select from api_keys k join modules m on m.id = k.module_id
        where k.id = :keyId::uuid and k.module_id = :moduleId::uuid and k.revoked_at is null and k.expires_at > now()
          and m.deleted_at is null and not ${isQuarantined('m')} and not ${isSuspended('m.organization_id')}
      ) as is_valid
    from ${HORIZON_AND_NEWEST}
  ), found as (
    select * from changes
    where module_id = :moduleId::uuid and position > :after::bigint and (:types::text[] is null or type = any(:types::text[]))
    order by position limit :limit::int
  )
  select state.*, c.position, c.id, c.type, c.organization_id, c.at, c.subject,
    case
      when c.type = any(:firstTypes::text[]) then ${granted(':firstArea::text')}
      when c.type = any(:secondTypes::text[]) then ${granted(':secondArea::text')}
      else true
    end as is_granted
  from state left join found c on true order by c.position`);

/** Reads changes of a module that it may see now. */
export async function readChanges(
  database: Database,
  { keyId, moduleId, after, types, limit }: ChangeQuery,
  areas: NeededAreas,
): Promise<ChangePage | ChangesRefusal> {
  const [first, second] = areas;
  const rows = await queryRows<FoundRow | (State & { readonly position: null })>(database, READ, {
    ...{ keyId, moduleId, types, limit, after: after.position, mark: after.mark },
    ...{ firstArea: first?.[0] ?? null, firstTypes: first?.[1] ?? null },
    ...{ secondArea: second?.[0] ?? null, secondTypes: second?.[1] ?? null },
  });
  const [state] = rows;
  if (state?.isValid !== true) return 'key-ended';
  if (!state.isKnown) return 'expired';
  const found = rows.filter((row): row is FoundRow => row.position !== null);
  const last = found.length === limit ? found.at(-1) : undefined;
  return {
    rows: found.filter(({ isGranted }) => isGranted),
    next: last === undefined ? { position: state.head, mark: state.headMark } : cursorAfter(last),
    hasMore: last !== undefined,
  };
}

/** The place after the newest of all changes, of whatever module. */
export async function newestCursor(database: Database): Promise<ChangeCursor> {
  const newest = await queryRow<Pick<State, 'head' | 'headMark'>>(
    database,
    `select ${NEWEST_CURSOR} from ${HORIZON_AND_NEWEST}`,
  );
  return newest === null ? OLDEST : { position: newest.head, mark: newest.headMark };
}

/** Those of the modules that have changes after a position. */
export async function findChangedModules(database: Database, moduleIds: readonly string[], after: number) {
  const rows = await queryRows<{ id: string }>(
    database,
    `select id from unnest(:moduleIds::uuid[]) as id
     where exists (select from changes c where c.module_id = id and c.position > :after)`,
    { moduleIds: [...moduleIds], after },
  );
  return rows.map(({ id }) => id);
}
