import type { Database } from '../../shared/db/database.ts';
import {
  readRegistryState,
  type RegistryState,
  type RunningImport,
} from '../../shared/db/modules/registry-state.ts';
import {
  revisionWrite,
  writeRevisions,
  type NextRevision,
  type RevisionEnd,
} from '../../shared/db/modules/write-revision.ts';
import { EncryptionKeys, KEY_BYTES } from '../../shared/encryption/encryption-keys.ts';
import type { Descriptor } from '../../shared/package/descriptor/descriptor.ts';
import type { RegistryStatements } from '../lab/simulation/registry-statements.ts';
import type { TestOrganization } from './test-app.ts';

const KEYS = new EncryptionKeys([{ id: 'test', key: Buffer.alloc(KEY_BYTES) }]);

/** A statement on the database, and what simulates it. */
export interface Step {
  readonly name: string;
  readonly real: () => Promise<unknown>;
  readonly simulated: (now: Date) => unknown;
}

/** IDs that are the same in each run: of a kind, and with a number. */
export function idOf(kind: number, number: number): string {
  return `${kind}0000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

interface Registered {
  readonly importId: string;
  readonly runId: string;
  readonly moduleId: string;
  readonly archiveKey: string;
  readonly scope: string;
  readonly revision: number;
}

/** The statements of an import on the registry: it reads the state, and writes a revision with the import's end. */
export function registrySteps(
  database: Database,
  registry: RegistryStatements,
  { id: organizationId, tenantId }: TestOrganization,
  { importId, runId, moduleId, archiveKey, scope, revision }: Registered,
): readonly Step[] {
  // The protocol reads these members only.
  const descriptor = {
    moduleId,
    scope,
    translations: [],
    dataAreaIds: [],
    environmentVariables: [],
  } as unknown as Descriptor;
  const digest = Buffer.alloc(32, 1);
  const next: NextRevision = {
    ...{ moduleId, revision, organizationId, tenantId, importId, descriptor, roles: null, alertRules: null },
    ...{ fingerprint: digest, packing: digest, archiveKey, archiveBytes: 1, archiveSha256: digest },
    ...{ checks: [], isReleased: true },
  };
  const end: RevisionEnd = {
    ...{ runId, status: 'succeeded', outcome: 'created', moduleId, revision, released: true },
    lists: { errors: [], warnings: [], errorsTotal: 0, unlistedErrors: [] },
  };
  const write = revisionWrite(KEYS, { next, files: [], end });
  const step: Step = {
    name: `write revision ${moduleId}/${revision} of ${importId} by ${runId}`,
    real: async () => (await writeRevisions(database, [write]))[0],
    simulated: (now) => registry.writeRevision(write, now),
  };
  const run = { organizationId, tenantId, acceptanceOrder: 0 } as RunningImport;
  const subject = { moduleId, scope };
  const read: Step = {
    name: `read registry of ${moduleId}, ${scope}`,
    real: async () => known(await readRegistryState(database, KEYS, run, subject)),
    simulated: () => known(registry.readState(run, subject)),
  };
  return [step, step, read];
}

function known({ module, scopeHolder, laterImportId }: RegistryState) {
  return { revision: module?.revision, owner: module?.organizationId, scopeHolder, laterImportId };
}
