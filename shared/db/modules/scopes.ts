import { auditInsert, writeAudit, type Actor } from '../access/audit-log.ts';
import type { Database } from '../database.ts';
import type { Row } from '../rows.ts';
import { queryRow } from '../statement.ts';

/** The SQL of a module's scope, the alias of its row given; null: it has none. */
export function scopeOf(module: string): string {
  return `(select s.scope from scopes s where s.module_id = ${module}.id)`;
}

/** The SQL of a module's scope as a column, for `ScopeColumn`. */
export const SCOPE_COLUMN = `${scopeOf('modules')} as scope`;

export interface ScopeColumn {
  readonly scope: string | null;
}

/** Whose entry in the audit log a change of a scope is, as SQL expressions. */
type RenamedBy = Pick<
  NonNullable<Parameters<typeof auditInsert>[2]>,
  'actor' | 'actorName' | 'traceId' | 'authority'
>;

/**
 * The parts of a statement that register a scope for an organization, and give it to a module, which lets go of its
 * earlier one. A row of `named` has tenant_id, organization_id, scope, and module_id, which is null where the scope is only
 * registered. If the scope is another organization's, or another module has it or gets it, the primary key ends the
 * statement.
 */
export function takeScope(named: string, by: RenamedBy = {}): string {
  return `let_go as (
    update scopes s set module_id = null from ${named} n
    where s.module_id = n.module_id and s.scope is distinct from n.scope
    returning s.organization_id, n.module_id, s.scope as previous, n.scope
  ), renamed as (${auditInsert('module.scopeChanged', 'let_go', {
    ...by,
    moduleId: 'module_id',
    details: "jsonb_strip_nulls(jsonb_build_object('scope', scope, 'previousScope', previous))",
  })}), owned as (
    update scopes s set module_id = coalesce(n.module_id, s.module_id) from ${named} n
    where s.tenant_id = n.tenant_id and s.scope = n.scope and s.organization_id = n.organization_id
      and (n.module_id is null or s.module_id is null or s.module_id = n.module_id)
    returning s.scope, n.module_id
  ), registered as (
    insert into scopes (tenant_id, scope, organization_id, module_id)
    select n.tenant_id, n.scope, n.organization_id, n.module_id from ${named} n
    where n.scope is not null and not exists (
      select from owned o where o.scope = n.scope and o.module_id is not distinct from n.module_id)
  )`;
}

/**
 * Registers the scope of a revision that some farmers are to see before it is the module's; false where another module or
 * organization has it. Until the transaction ends, nobody else takes it.
 */
export async function reserveScope(
  transaction: Database,
  moduleId: string,
  revision: number,
): Promise<boolean> {
  // The update changes nothing: it waits for whoever frees the scope, and locks it.
  const scope = await queryRow<{ isTaken: boolean | null }>(
    transaction,
    `with reserved as (
       insert into scopes (tenant_id, scope, organization_id)
       select m.tenant_id, r.descriptor ->> 'scope', m.organization_id
       from modules m join module_revisions r on r.module_id = m.id and r.revision = :revision
       where m.id = :moduleId and r.descriptor ->> 'scope' is not null
       on conflict (tenant_id, scope) do update set registered_at = scopes.registered_at
       returning organization_id, module_id
     )
     select s.organization_id <> m.organization_id or s.module_id <> m.id as is_taken
     from reserved s, modules m where m.id = :moduleId`,
    { moduleId, revision },
  );
  return scope?.isTaken !== true;
}

/** Leaves a module without a scope; its organization keeps the name. */
export async function letGoOfScope(transaction: Database, moduleId: string): Promise<void> {
  await transaction('scopes').where({ moduleId }).update({ moduleId: null });
}

/** The result of freeing a scope; `in-use`: a module has it, or an organization sees a revision with it. */
export type ScopeRelease = 'freed' | 'missing' | 'in-use';

const LOCK = 'select from scopes where tenant_id = :tenantId and scope = :scope for no key update';

const FIND = `
  select s.organization_id, s.module_id is not null or exists (
      select from modules m join module_revisions r on r.module_id = m.id
      where m.organization_id = s.organization_id and m.deleted_at is null and r.descriptor ->> 'scope' = s.scope
        and r.revision = any (array[m.current_revision, m.ring_revision] || m.previewed_revisions)) as is_in_use
  from scopes s where s.tenant_id = :tenantId and s.scope = :scope`;

/** Frees a scope for every organization of the tenant. */
export async function freeScope(
  database: Database,
  key: Pick<Row<'scopes'>, 'tenantId' | 'scope'>,
  actor: Actor,
): Promise<ScopeRelease> {
  return database.transaction(async (transaction) => {
    await transaction.raw(LOCK, { ...key });
    // A statement of its own: one that waited for a release or a preview does not see what it made visible.
    const found = await queryRow<{ organizationId: string; isInUse: boolean }>(transaction, FIND, { ...key });
    if (found === null) return 'missing';
    if (found.isInUse) return 'in-use';
    await transaction('scopes').where(key).delete();
    const { organizationId } = found;
    await writeAudit(transaction, actor, {
      organizationId,
      action: 'module.scopeFreed',
      details: { scope: key.scope },
    });
    return 'freed';
  });
}
