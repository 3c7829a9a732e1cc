import type { ModuleDocument } from '../../package/documents/applicable-documents.ts';
import { changesInsert } from '../changes/record-changes.ts';
import type { Database } from '../database.ts';
import { documentsIn } from '../modules/module-documents.ts';
import { visibleRevision, visibleRevisions } from '../modules/visible-revision.ts';
import { pendingOf, type StoredInstallation } from './installations.ts';

/** Installations that are read and written at once: this bounds the memory of a release of a popular module. */
const BATCH = 1_000;

/** What a revision requests of a farmer. */
interface Requests {
  readonly revision: number;
  readonly dataAreaIds: readonly string[];
  readonly terms: readonly ModuleDocument[];
}

interface CheckedInstallation extends Pick<
  StoredInstallation,
  'organizationId' | 'offeredDataAreaIds' | 'acceptedTerms'
> {
  readonly countryCode: string | null;
  readonly pendingRevision: number | null;
  /** The revision that its organization sees; null: none. */
  readonly visibleRevision: number | null;
}

/**
 * Records `consent.pending` for each installation of a module that needs another consent, after who sees which revision has
 * changed: once for each revision, because the installation keeps which one it was. To be called in the transaction that
 * locks the module's row, so that nobody consents meanwhile, with the revisions that any organization saw before.
 */
export async function recordPendingConsents(
  transaction: Database,
  moduleId: string,
  seenBefore: readonly number[],
): Promise<void> {
  const requests = await readRequests(transaction, moduleId, seenBefore);
  if (areSame(requests, seenBefore)) return;
  const byRevision = new Map(requests.map((each) => [each.revision, each]));
  let batch: readonly CheckedInstallation[] = [];
  do {
    batch = await installationsAfter(transaction, moduleId, batch.at(-1));
    await writePending(transaction, moduleId, byRevision, batch);
  } while (batch.length === BATCH);
}

/** Of the revisions that are seen now or were before; none where nobody has the module installed. */
async function readRequests(
  transaction: Database,
  moduleId: string,
  seenBefore: readonly number[],
): Promise<readonly Requests[]> {
  const { rows } = await transaction.raw<{ rows: Requests[] }>(
    `select r.revision, r.data_area_ids, ${documentsIn('ModuleToS')} as terms
     from modules m join module_revisions r on r.module_id = m.id
       and r.revision = any(${visibleRevisions('m')} || :seenBefore::int[])
     where m.id = :moduleId and exists (select from installations i where i.module_id = m.id)`,
    { moduleId, seenBefore: [...seenBefore] },
  );
  return rows;
}

/** Whether what is requested is the same as before, so that nothing more needs consent. */
function areSame(requests: readonly Requests[], seenBefore: readonly number[]): boolean {
  if (requests.length === 0) return true;
  const isEachKnown = seenBefore.every((seen) => requests.some(({ revision }) => revision === seen));
  const texts = requests.map(({ dataAreaIds, terms }) => JSON.stringify([dataAreaIds, terms]));
  return isEachKnown && new Set(texts).size === 1;
}

/** The next installations in the order of the index, locked in that order. */
async function installationsAfter(
  transaction: Database,
  moduleId: string,
  last: CheckedInstallation | undefined,
): Promise<readonly CheckedInstallation[]> {
  const { rows } = await transaction.raw<{ rows: CheckedInstallation[] }>(
    `select i.organization_id, i.offered_data_area_ids, i.accepted_terms, i.pending_revision, o.country_code,
       ${visibleRevision('m', 'i.organization_id')} as visible_revision
     from installations i join modules m on m.id = i.module_id join organizations o on o.id = i.organization_id
     where i.module_id = :moduleId and (:after::uuid is null or i.organization_id > :after::uuid)
     order by i.organization_id limit :limit for no key update of i`,
    { moduleId, after: last?.organizationId ?? null, limit: BATCH },
  );
  return rows;
}

const WRITE = `
  with changed as (
    update installations i set pending_revision = checked.revision
    from unnest(:organizationIds::uuid[], :revisions::int[]) as checked (organization_id, revision)
    where i.module_id = :moduleId and i.organization_id = checked.organization_id
    returning i.module_id, i.organization_id, i.pending_revision
  )
  ${changesInsert(
    {
      type: "'consent.pending'",
      moduleId: 'module_id',
      organizationId: 'organization_id',
      subject: "jsonb_build_object('revision', pending_revision)",
    },
    'changed where pending_revision is not null',
  )}`;

async function writePending(
  transaction: Database,
  moduleId: string,
  requests: ReadonlyMap<number, Requests>,
  batch: readonly CheckedInstallation[],
): Promise<void> {
  const changed = batch.flatMap(({ organizationId, pendingRevision, ...installation }) => {
    const seen = requests.get(installation.visibleRevision ?? 0);
    const pending = seen === undefined ? null : pendingOf({ ...installation, ...seen });
    const revision = pending?.revision ?? null;
    return revision === pendingRevision ? [] : [{ organizationId, revision }];
  });
  if (changed.length === 0) return;
  await transaction.raw(WRITE, {
    moduleId,
    organizationIds: changed.map(({ organizationId }) => organizationId),
    revisions: changed.map(({ revision }) => revision),
  });
}
