import { createHash, randomUUID } from 'node:crypto';
import { SpanKind } from '@opentelemetry/api';
import type { NewImport } from '../../shared/db/imports/imports.ts';
import { KEY_KEEP_DAYS } from '../../shared/db/idempotency-keys.ts';
import { isOutOfTime } from '../../shared/db/out-of-time.ts';
import { isAuthorityEnded } from '../../shared/db/access/authority.ts';
import { NoSlotError } from '../../shared/limits/fair-slots.ts';
import { currentSpan } from '../../shared/telemetry/current-span.ts';
import { formatTraceparent, inSpan } from '../../shared/telemetry/tracing.ts';
import { actorOf, type OrganizationAccess } from '../auth/access.ts';
import type { ApiContext } from '../context.ts';
import { keyMismatch } from '../http/request/idempotency-key.ts';
import type { NewJob, Receiving } from './import-groups.ts';
import type { ImportPreferences } from './import-preferences.ts';
import type { Upload } from './upload-receiver.ts';

/** The import of an upload, or an earlier one with the same idempotency key. */
export interface AcceptedImport {
  readonly importId: string;
  readonly organizationId: string;
  readonly isNew: boolean;
  /** The job that this request has to queue; null: there is one, or the request of another import queues it. */
  readonly queued: NewJob | null;
}

/** What a caller uploads: how, and with which priority. */
export interface AcceptOptions {
  readonly preferences: ImportPreferences;
  readonly priority: number;
  readonly receiving: Receiving;
}

/**
 * Writes the row of an uploaded package. If that fails and the row may have been committed nevertheless, the upload
 * stays; an upload without a row is collected as garbage.
 * @throws ProblemError 422 when the key was used for another request.
 */
export async function acceptImport(
  api: ApiContext,
  caller: OrganizationAccess,
  upload: Upload,
  { preferences, priority, receiving }: AcceptOptions,
): Promise<AcceptedImport> {
  const organizationId = caller.organization.id;
  const row = newImport(caller, upload, preferences);
  const created = await inSpan(api.tracing, 'write import row', currentSpan(), () =>
    receiving.accept({ row, priority }),
  ).catch((error: unknown) => {
    if (isUndone(error)) return removing(api, upload)(error);
    throw error;
  });
  if (created.kind === 'created') {
    api.metrics.accepted.inc({ kind: 'new' });
    api.log.info({ importId: row.id }, 'import accepted');
    return { importId: row.id, organizationId, isNew: true, queued: created.queued };
  }
  await removeUpload(api, upload);
  if (created.kind === 'repeated') {
    api.metrics.accepted.inc({ kind: 'repeated' });
    return { importId: created.importId, organizationId, isNew: false, queued: null };
  }
  throw keyMismatch();
}

/** Whether the row is certainly not written: what is stored without a row would count for nobody. */
function isUndone(error: unknown): boolean {
  return isAuthorityEnded(error) || isOutOfTime(error) || error instanceof NoSlotError;
}

function newImport(
  caller: OrganizationAccess,
  upload: Upload,
  preferences: ImportPreferences,
): Omit<NewImport, 'groupId'> {
  const { organization, publisher, authority } = caller;
  const { subject, actorName, traceId } = actorOf(caller);
  const row = {
    id: upload.importId,
    organizationId: organization.id,
    tenantId: organization.tenantId,
    importedBy: subject,
    actorName,
    validateOnly: preferences.validateOnly,
    expectedRevisions: preferences.expectedRevisions,
    newModuleId: randomUUID(),
    fileName: upload.fileName,
    sizeBytes: upload.sizeBytes,
    sha256: upload.sha256,
    archiveKey: upload.archiveKey,
    traceId,
    traceParent: formatTraceparent(currentSpan()),
    onlyModuleId: publisher?.moduleId ?? preferences.moduleId,
    publisherTokenId: publisher?.id ?? null,
    staged: preferences.staged,
    renameScope: preferences.renameScope,
    authority,
  };
  return { ...row, claim: claimOf(row, preferences) };
}

/** A key also stands for what the import may change: a trusted publisher's upload is another than a person's. */
function claimOf(
  {
    sha256,
    validateOnly,
    onlyModuleId,
    publisherTokenId,
    staged,
    renameScope,
  }: Omit<NewImport, 'groupId' | 'claim'>,
  { idempotencyKey }: ImportPreferences,
) {
  if (idempotencyKey === null) return null;
  const hash = createHash('sha256').update(sha256).update(String(validateOnly));
  const by = publisherTokenId === null ? '' : ' by a publisher';
  const how = (staged ? ' staged' : '') + (renameScope ? ' renaming' : '');
  const fingerprint = hash.update((onlyModuleId ?? '') + by + how).digest();
  return { key: idempotencyKey, fingerprint, keepDays: KEY_KEEP_DAYS };
}

/** Queues a job. If the queue is unavailable, its imports are still accepted: the sweep queues them later. */
export async function queueImport(api: ApiContext, { job, priority }: NewJob): Promise<void> {
  try {
    const add = () => api.queue.addImport(job, priority);
    await inSpan(api.tracing, 'queue import', currentSpan(), add, { kind: SpanKind.PRODUCER });
  } catch (error) {
    api.log.warn({ err: error, ...job }, 'import not queued; the sweep requeues it');
  }
}

/** Removes an upload whose import is refused, and throws the refusal. */
export function removing(api: ApiContext, upload: Upload): (refusal: unknown) => Promise<never> {
  return async (refusal) => {
    await removeUpload(api, upload);
    throw refusal;
  };
}

/** An upload that cannot be removed now is collected later. */
async function removeUpload(api: ApiContext, { importId, archiveKey }: Upload): Promise<void> {
  await api.storage
    .remove(archiveKey)
    .catch((error: unknown) =>
      api.log.warn({ err: error, importId }, 'upload not removed; garbage collection removes it'),
    );
}
