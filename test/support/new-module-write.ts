import { randomUUID } from 'node:crypto';
import type { RunningImport } from '../../shared/db/modules/registry-state.ts';
import {
  revisionWrite,
  type NextRevision,
  type RevisionEnd,
  type RevisionWrite,
} from '../../shared/db/modules/write-revision.ts';
import { EncryptionKeys, KEY_BYTES } from '../../shared/encryption/encryption-keys.ts';
import type { Descriptor } from '../../shared/package/descriptor/descriptor.ts';
import type { PackageFile } from '../../shared/package/package-report.ts';

const KEYS = new EncryptionKeys([{ id: 'test', key: Buffer.alloc(KEY_BYTES) }]);

interface Changes {
  readonly scope?: string | null;
  readonly next?: Partial<NextRevision>;
  readonly files?: readonly PackageFile[];
}

/** The write of a new module, whose import runs. */
export function newModuleWrite(
  { id: importId, runId, organizationId, tenantId }: RunningImport,
  { scope = randomUUID(), next: changes = {}, files = [] }: Changes = {},
): RevisionWrite {
  const moduleId = randomUUID();
  const descriptor = {
    ...{ moduleId, scope, translations: [{ moduleName: scope, shortName: null }], dataAreaIds: [] },
    environmentVariables: [],
  } as unknown as Descriptor;
  const digest = Buffer.alloc(32, 1);
  const next: NextRevision = {
    ...{
      moduleId,
      revision: 1,
      organizationId,
      tenantId,
      importId,
      descriptor,
      roles: null,
      alertRules: null,
    },
    ...{ fingerprint: digest, packing: digest, archiveKey: importId, archiveBytes: 1, archiveSha256: digest },
    ...{ checks: [], isReleased: true },
    ...changes,
  };
  const end: RevisionEnd = {
    ...{ runId, status: 'succeeded', outcome: 'created', moduleId, revision: 1 },
    released: next.isReleased,
    lists: { errors: [], warnings: [], errorsTotal: 0, unlistedErrors: [] },
  };
  return revisionWrite(KEYS, { next, files, end });
}
