import type { StoredDescriptor } from '../../package/descriptor/descriptor.ts';
import type { EncryptionKeys } from '../../encryption/encryption-keys.ts';
import type { Database } from '../database.ts';
import type { ImportRow } from '../imports/models.ts';
import type { ModuleModel } from './models.ts';
import { countRows } from '../quota.ts';
import { fingerprintOf } from '../sealed-columns.ts';
import { releaseDecidedAtImport } from './quarantine-state.ts';
import { scopeOf } from './scopes.ts';
import { onlyRow, preparedStatement, queryRows } from '../statement.ts';

/** An import, with the attempt that may end it. */
export type RunningImport = ImportRow & { readonly runId: string };

/** A module in its newest revision: an import builds on it, whether it is released or not. */
export interface RegisteredModule extends Readonly<
  Pick<ModuleModel, 'organizationId' | 'deletedAt' | 'currentRevision' | 'releasePolicy'>
> {
  /** Whether somebody released a revision, or put the module into quarantine, after the import was accepted. */
  readonly isReleaseDecided: boolean;
  /** Whether the module was deleted after the import was accepted. */
  readonly isDeletedSince: boolean;
  /** The name that it has now. */
  readonly scope: string | null;
  readonly revision: number;
  /** The number given last; its revision may have been deleted. */
  readonly lastRevision: number;
  /** Null where the revisions of a deleted module are gone. */
  readonly descriptor: StoredDescriptor | null;
  readonly roleNames: readonly string[];
  /** The criteria of its alert rule definitions. */
  readonly criteria: readonly string[];
  readonly fingerprint: Buffer;
  /** That of the revision that everyone has; null: that is none, or the newest one. */
  readonly liveFingerprint: Buffer | null;
  /** The folders in which it has files. */
  readonly folders: readonly string[];
}

/** The state of the registry that decides about a package. */
export interface RegistryState {
  /** The module of the ID that the package names. */
  readonly module: RegisteredModule | null;
  /** Why the module cannot have the package's scope: another organization owns it, or another own module has it. */
  readonly scopeHolder: { readonly id: string | null; readonly organizationId: string } | null;
  /** An import of the module that was accepted after this one and has succeeded already. */
  readonly laterImportId: string | null;
}

type StateRow = { readonly [Name in keyof RegisteredModule]: RegisteredModule[Name] | null } & {
  readonly scopeHolderId: string | null;
  readonly scopeHolderOrganizationId: string | null;
  readonly laterImportId: string | null;
};

/** Serialises imports of one module until the transaction ends, also where the module does not exist yet. */
export async function lockModule(transaction: Database, moduleId: string): Promise<void> {
  await transaction.raw("select pg_advisory_xact_lock(hashtextextended('module ' || :moduleId, 0))", {
    moduleId,
  });
}

/** Those of the IDs that no module of the tenant has. */
export async function findUnknownModules(database: Database, tenantId: string, ids: readonly string[]) {
  const rows = await queryRows<{ id: string }>(
    database,
    `select id from unnest(:ids::uuid[]) named (id)
     where not exists (
       select from modules m where m.id = named.id and m.tenant_id = :tenantId and m.deleted_at is null)`,
    { ids: [...ids], tenantId },
  );
  return rows.map(({ id }) => id);
}

/** As many alert rules of a module are looked at, so that counting takes no longer for a module with more. */
const MAX_COUNTED_RULES = 10_000;

/** The active alert rules of these criteria; not the whole number where the module has very many rules. */
export async function countActiveRules(database: Database, moduleId: string, criteria: readonly string[]) {
  const { count, seen } = await onlyRow<{ count: number; seen: number }>(
    database,
    `select count(*) filter (where r.status = 'active' and r.criteria = any(:criteria::text[])) as count, count(*) as seen
     from (select status, criteria from alert_rules where module_id = :moduleId limit ${MAX_COUNTED_RULES}) r`,
    { moduleId, criteria: [...criteria] },
  );
  return { count, isWhole: seen < MAX_COUNTED_RULES };
}

export async function countModules(database: Database, organizationId: string): Promise<number> {
  return countRows(database, 'modules', { organizationId, deletedAt: null });
}

const STATE = preparedStatement(`
  select m.organization_id, m.deleted_at, coalesce(r.revision, m.newest_revision) as revision,
    m.newest_revision as last_revision, m.current_revision, m.release_policy, ${scopeOf('m')} as scope,
    ${releaseDecidedAtImport('m')} >= :acceptanceOrder as is_release_decided, m.deleted_at_import >= :acceptanceOrder as is_deleted_since,
    coalesce(r.fingerprint, '') as fingerprint,
    (select live.fingerprint from module_revisions live
     where live.module_id = m.id and live.revision = nullif(m.current_revision, r.revision)) as live_fingerprint,
    r.descriptor,
    array(select role ->> 'name' from jsonb_array_elements(r.roles -> 'roles') role) as role_names,
    array(select json_object_keys(r.alert_rules -> 'criterias')) as criteria,
    array(select distinct split_part(f.path, '/', 1) from module_files f
          where f.module_id = r.module_id and f.revision = r.revision order by 1) as folders,
    holder.module_id as scope_holder_id, holder.organization_id as scope_holder_organization_id,
    (select i.id from imports i
     where i.module_id = :moduleId::uuid and i.status = 'succeeded' and not i.validate_only
       and i.acceptance_order > :acceptanceOrder
     order by i.acceptance_order desc limit 1) as later_import_id
  from (select) as one
  left join modules m on m.id = :moduleId::uuid
  left join lateral (
    select * from module_revisions r where r.module_id = m.id order by r.revision desc limit 1) r on true
  left join scopes holder on holder.tenant_id = :tenantId and holder.scope = :scope::text
    and (holder.organization_id <> :organizationId or (holder.module_id is not null and holder.module_id is distinct from :moduleId::uuid))`);

/** Reads the registry's state of the module and the scope that a package names, in one statement. */
export async function readRegistryState(
  database: Database,
  keys: EncryptionKeys,
  { organizationId, tenantId, acceptanceOrder }: RunningImport,
  { moduleId, scope }: { readonly moduleId: string | null; readonly scope: string | null },
): Promise<RegistryState> {
  const values = { moduleId, scope, organizationId, tenantId, acceptanceOrder };
  const row = await onlyRow<StateRow>(database, STATE, values);
  const { scopeHolderId: id, scopeHolderOrganizationId: ownerId, laterImportId } = row;
  return {
    module: moduleId !== null && isModule(row) ? opened(keys, moduleId, row) : null,
    scopeHolder: ownerId === null ? null : { id, organizationId: ownerId },
    laterImportId,
  };
}

/** The revisions of a module that was deleted long ago are gone. */
function opened(keys: EncryptionKeys, moduleId: string, module: RegisteredModule): RegisteredModule {
  if (module.fingerprint.length === 0) return module;
  const open = (sealed: Buffer) => keys.open(sealed, fingerprintOf(moduleId));
  const { fingerprint, liveFingerprint: live } = module;
  return { ...module, fingerprint: open(fingerprint), liveFingerprint: live && open(live) };
}

function isModule(row: StateRow): row is StateRow & RegisteredModule {
  return row.organizationId !== null;
}
