import type { Actor } from '../../../shared/db/access/audit-log.ts';
import type { ModuleKey } from '../../../shared/db/modules/models.ts';
import type { FreedArchive } from '../../../shared/db/imports/freed-archives.ts';
import type { RevisionRetention } from '../../../shared/db/modules/old-revisions.ts';
import type { RegistryState, RunningImport } from '../../../shared/db/modules/registry-state.ts';
import type { RevisionWrite } from '../../../shared/db/modules/write-revision.ts';
import type { PackageSubject } from '../../../shared/package/package-report.ts';
import type { ImportStatements } from './import-statements.ts';
import type { ModuleRow, RevisionRow, ScopeRow, Tables } from './tables.ts';

const DAY_MS = 86_400_000;

/** The state of a new module. Every import of the simulation releases its revision. */
const NEW_MODULE = {
  currentRevision: null,
  ringRevision: null,
  ringOrganizationIds: [],
  ringPercent: null,
  previewedRevisions: [],
  releasePolicy: 'immediate',
  withdrawnAt: null,
  withdrawnReason: null,
  deprecatedAt: null,
  deprecationMessage: null,
  successorModuleId: null,
  deletedAtImport: 0,
  releaseDecidedAtImport: 0,
  installations: 0,
} satisfies Partial<ModuleRow>;

/** Whether a transaction holds the module's row: batches skip it. */
type IsLocked = (moduleId: string) => boolean;

/** The statements of `shared/db/modules/` for an import, on tables in memory. */
export class RegistryStatements {
  readonly #tables: Tables;
  readonly #imports: ImportStatements;

  constructor(tables: Tables, imports: ImportStatements) {
    this.#tables = tables;
    this.#imports = imports;
  }

  readState(
    run: Pick<RunningImport, 'organizationId' | 'tenantId' | 'acceptanceOrder'>,
    { moduleId, scope }: Pick<PackageSubject, 'moduleId' | 'scope'>,
  ): RegistryState {
    const { imports, modules } = this.#tables;
    const { acceptanceOrder } = run;
    const module = moduleId === null ? null : modules.get(moduleId);
    const holder = this.#holder(scope, { ...run, moduleId });
    const [later] = imports
      .where(
        (each) =>
          moduleId !== null &&
          each.moduleId === moduleId &&
          each.status === 'succeeded' &&
          !each.validateOnly &&
          each.acceptanceOrder > acceptanceOrder,
      )
      .toSorted((a, b) => b.acceptanceOrder - a.acceptanceOrder);
    return {
      module: module && this.#registered(module, acceptanceOrder),
      scopeHolder: holder && { id: holder.moduleId, organizationId: holder.organizationId },
      laterImportId: later?.id ?? null,
    };
  }

  /** The row of a scope that the module cannot have. */
  #holder(scope: string | null, module: Omit<ScopeRow, 'scope'>): ScopeRow | null {
    const row = scope === null ? null : this.#tables.scopes.get(`${module.tenantId}/${scope}`);
    if (row === null) return null;
    const isFree = row.moduleId === null || row.moduleId === module.moduleId;
    return row.organizationId === module.organizationId && isFree ? null : row;
  }

  #scopeOf(moduleId: string): ScopeRow | undefined {
    return this.#tables.scopes.where((row) => row.moduleId === moduleId)[0];
  }

  #setScope(row: ScopeRow): void {
    this.#tables.scopes.set(`${row.tenantId}/${row.scope}`, row);
  }

  #registered(module: ModuleRow, acceptanceOrder: number): NonNullable<RegistryState['module']> {
    const { id, organizationId, deletedAt, currentRevision, newestRevision, releasePolicy } = module;
    const kept = this.#revisionsOf(id).toSorted((a, b) => b.revision - a.revision);
    const [revision] = kept;
    const live = kept.find((each) => each !== revision && each.revision === currentRevision);
    const liveFingerprint = live?.fingerprint ?? null;
    const numbers = { revision: revision?.revision ?? newestRevision, lastRevision: newestRevision };
    const since = { isReleaseDecided: false, isDeletedSince: module.deletedAtImport >= acceptanceOrder };
    const owned = {
      ...{ organizationId, deletedAt, releasePolicy, currentRevision, liveFingerprint },
      scope: this.#scopeOf(id)?.scope ?? null,
      ...{ ...numbers, ...since },
    };
    // Those of a module that was deleted long ago are gone.
    if (revision === undefined)
      return {
        ...owned,
        ...{ descriptor: null, roleNames: [], criteria: [], fingerprint: Buffer.alloc(0), folders: [] },
      };
    const { descriptor, fingerprint, files } = revision;
    const folders = [...new Set(files.map(({ path }) => path.split('/', 1)[0] ?? ''))].toSorted();
    const roleNames = (revision.roles?.roles ?? []).map(({ name }) => name);
    const criteria = Object.keys(revision.alertRules?.criterias ?? {});
    return { ...owned, descriptor, roleNames, criteria, fingerprint, folders };
  }

  /** @throws an error as PostgreSQL's where the scope is taken */
  writeRevision({ next, files, end }: RevisionWrite, now: Date): boolean {
    const { modules, revisions } = this.#tables;
    const { moduleId, revision, organizationId, tenantId, descriptor } = next;
    const run = { id: next.importId, runId: end.runId };
    const module = modules.get(moduleId);
    if (this.#imports.runBy(run) === null || (module !== null && module.organizationId !== organizationId))
      return false;
    const { scope } = descriptor;
    const named = { tenantId, organizationId, moduleId };
    if (this.#holder(scope, named) !== null) throw uniqueViolation('scopes_pkey');
    if (revisions.get(`${moduleId}/${revision}`) !== null) throw uniqueViolation('module_revisions_pkey');
    this.#imports.end(run, end, now, { archiveKey: null });
    const owner = { ...NEW_MODULE, id: moduleId, organizationId, tenantId, createdAt: now };
    const newest = { currentRevision: revision, newestRevision: revision };
    const earlier = this.#scopeOf(moduleId);
    if (earlier !== undefined && earlier.scope !== scope) this.#setScope({ ...earlier, moduleId: null });
    if (scope !== null) this.#setScope({ ...named, scope });
    const current = { ...newest, updatedAt: now, deletedAt: null, deletedBy: null };
    modules.set(moduleId, { ...(module ?? owner), ...current });
    revisions.set(`${moduleId}/${revision}`, { ...next, files, createdAt: now });
    return true;
  }

  deleteModule({ organizationId, moduleId }: ModuleKey, { subject: deletedBy }: Actor, now: Date): boolean {
    const module = this.#tables.modules.get(moduleId);
    if (module?.organizationId !== organizationId || module.deletedAt !== null) return false;
    const scope = this.#scopeOf(moduleId);
    if (scope !== undefined) this.#setScope({ ...scope, moduleId: null });
    this.#tables.modules.set(moduleId, {
      ...module,
      ...NEW_MODULE,
      deletedAtImport: this.#tables.acceptanceOrder,
      deletedAt: now,
      deletedBy,
      updatedAt: now,
    });
    return true;
  }

  /** Null where the organization has no such module. */
  currentRevision({ organizationId, moduleId }: ModuleKey): number | null {
    const module = this.#tables.modules.get(moduleId);
    if (module?.organizationId !== organizationId || module.deletedAt !== null) return null;
    return module.currentRevision;
  }

  deleteRevision(moduleId: string, revision: number, now: Date): boolean {
    const row = this.#tables.revisions.get(`${moduleId}/${revision}`);
    if (row !== null) this.#free([row], now);
    return row !== null;
  }

  deleteOfModule(moduleId: string, now: Date): readonly FreedArchive[] {
    const isDeleted = this.#tables.modules.get(moduleId)?.deletedAt !== null;
    return this.#free(isDeleted ? this.#revisionsOf(moduleId) : [], now);
  }

  deleteOfDeletedModules(days: number, isLocked: IsLocked, now: Date): readonly FreedArchive[] {
    const before = now.getTime() - days * DAY_MS;
    const old = this.#tables.modules.where(
      ({ id, deletedAt }) => deletedAt !== null && deletedAt.getTime() < before && !isLocked(id),
    );
    return this.#free(
      old.flatMap(({ id }) => this.#revisionsOf(id)),
      now,
    );
  }

  deleteOutdated({ days, kept }: RevisionRetention, isLocked: IsLocked, now: Date): readonly FreedArchive[] {
    const before = now.getTime() - days * DAY_MS;
    const outdated = this.#tables.modules
      .where(({ id, deletedAt }) => deletedAt === null && !isLocked(id))
      .flatMap(({ id, currentRevision }) => {
        const rows = this.#revisionsOf(id).toSorted((a, b) => b.revision - a.revision);
        return rows
          .slice(kept)
          .filter(({ revision, createdAt }) => revision !== currentRevision && createdAt.getTime() < before);
      });
    return this.#free(outdated, now);
  }

  #revisionsOf(moduleId: string): RevisionRow[] {
    return this.#tables.revisions.where((row) => row.moduleId === moduleId);
  }

  #free(rows: readonly RevisionRow[], freedAt: Date): readonly FreedArchive[] {
    const { revisions, freed } = this.#tables;
    for (const { moduleId, revision, archiveKey, archiveBytes } of rows) {
      revisions.set(`${moduleId}/${revision}`, null);
      freed.set(archiveKey, { archiveKey, archiveBytes, moduleId, freedAt });
    }
    return rows;
  }
}

function uniqueViolation(constraint: string): Error {
  return Object.assign(new Error(`duplicate key value violates ${constraint}`), {
    code: '23505',
    constraint,
  });
}
