import { randomUUID } from 'node:crypto';
import { loadCatalogue } from '../../shared/catalogue/catalogue.ts';
import { makeApiKey } from '../../shared/db/access/api-key.ts';
import { registerApiClient } from '../../shared/db/access/api-keys.ts';
import { putOrganization } from '../../shared/db/access/organizations.ts';
import type { Database } from '../../shared/db/database.ts';
import { FIXTURE_ACTOR } from '../support/fixture-actor.ts';

/** A module that declares both data areas, and an API key for it. */
export interface StoredModule {
  readonly moduleId: string;
  readonly vendorId: string;
  /** The farmers of its tenant; none has installed it. */
  readonly farmerIds: readonly string[];
  readonly dataAreaIds: readonly string[];
  readonly key: string;
}

/** Longer than any run; no change says that it expires soon. */
const KEY_MS = 90 * 86_400_000;

/** Stores a module without an archive, a key for it, and this number of farmers in its tenant. */
export async function storeModule(
  database: Database,
  farmers: number,
  alertRules: object | null = null,
): Promise<StoredModule> {
  const [tenantId, vendorId, moduleId] = [randomUUID(), randomUUID(), randomUUID()];
  const farmerIds = Array.from({ length: farmers }, () => randomUUID());
  await putOrganization(database, { id: vendorId, tenantId, kind: 'vendor', name: 'Vendor' }, FIXTURE_ACTOR);
  for (const id of farmerIds)
    await putOrganization(database, { id, tenantId, kind: 'farmer', name: 'Farm' }, FIXTURE_ACTOR);
  const dataAreaIds = ['FarmOrganization', 'FarmOrganizationAlerts'].map(
    (key) => loadCatalogue().entry('dataAreas', key)?.id ?? '',
  );
  await database('modules').insert({
    id: moduleId,
    organizationId: vendorId,
    tenantId,
    currentRevision: 1,
    newestRevision: 1,
  });
  await database('module_revisions').insert({
    ...{ moduleId, revision: 1, organizationId: vendorId, importId: randomUUID() },
    descriptor: JSON.stringify({ dataAreaIds }),
    alertRules: alertRules && JSON.stringify(alertRules),
    fingerprint: Buffer.alloc(32),
    packing: Buffer.alloc(32),
    archiveKey: `packages/${moduleId}`,
    archiveBytes: 0,
    archiveSha256: Buffer.alloc(32),
    ...{ importedBy: '', environment: '', checks: '[]' },
  });
  const key = makeApiKey();
  const client = { clientName: null, expiresAt: new Date(Date.now() + KEY_MS) };
  await registerApiClient(database, { organizationId: vendorId, moduleId }, client, key, {
    ...FIXTURE_ACTOR,
    max: 1,
  });
  return { moduleId, vendorId, farmerIds, dataAreaIds, key: key.secret };
}
