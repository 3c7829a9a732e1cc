import { randomUUID } from 'node:crypto';
import { fingerprintOf } from '../../shared/db/sealed-columns.ts';
import { importSample } from './import-sample.ts';
import { samplePackage } from './sample-package.ts';
import { startTestApp, type Answer, type TestApp, type TestOrganization } from './test-app.ts';
import { withWorker } from './with-worker.ts';

/*
 * What vendors and operators do to a module, as a model: each action with its call, its effect and its answer, written by
 * hand. Two that happen at once must end as one of their two orders. The module has the revisions 1 and 2, which were
 * released, and 3, which is staged; an import makes 4.
 */

/** The state of a module, as it can be read. */
export interface ModuleState {
  readonly isDeleted: boolean;
  readonly current: number;
  readonly ring: number | null;
  readonly preview: number | null;
  /** Whether revision 3 was ever released: it has no previewers any more. */
  readonly isThirdReleased: boolean;
  readonly isWithdrawn: boolean;
  readonly isQuarantined: boolean;
  /** Whether somebody decided about releases: an import that was accepted before releases nothing. */
  readonly isDecided: boolean;
}

export const START: ModuleState = {
  isDeleted: false,
  current: 2,
  ring: null,
  preview: null,
  isThirdReleased: false,
  isWithdrawn: false,
  isQuarantined: false,
  isDecided: false,
};

/** A module, and the organizations that see different revisions of it. */
export interface PairMarket {
  readonly app: TestApp;
  readonly vendor: TestOrganization;
  readonly ringed: TestOrganization;
  readonly previewer: TestOrganization;
  readonly other: TestOrganization;
  /** The module that others are copied from. */
  readonly template: string;
}

export interface ReleaseAction {
  call(market: PairMarket, moduleId: string): Promise<Answer>;
  /** The state after it, and the status of its answer. */
  apply(state: ModuleState): readonly [ModuleState, number];
}

const MISSING = 404;

/** An action of the vendor: of a deleted module there is nothing to change. */
function ofVendor(
  call: (market: PairMarket, path: string) => Promise<Answer>,
  change: (state: ModuleState) => readonly [Partial<ModuleState>, number],
): ReleaseAction {
  return {
    call: (market, moduleId) => call(market, `/modules/${moduleId}`),
    apply(state) {
      if (state.isDeleted) return [state, MISSING];
      const [changes, status] = change(state);
      return [{ ...state, ...changes }, status];
    },
  };
}

const quarantinePath = (moduleId: string) => `/operations/modules/${moduleId}/quarantine`;

export const ACTIONS: Readonly<Record<string, ReleaseAction>> = {
  'release to everyone': ofVendor(
    ({ app, vendor }, path) => app.as(vendor).post(`${path}/revisions/3/release`),
    () => [{ current: 3, ring: null, preview: null, isThirdReleased: true, isDecided: true }, 200],
  ),
  'release to a ring': ofVendor(
    ({ app, vendor, ringed }, path) =>
      app.as(vendor).post(`${path}/revisions/3/release`, { organizationIds: [ringed.id] }),
    () => [{ ring: 3, preview: null, isThirdReleased: true, isDecided: true }, 200],
  ),
  'roll-back': ofVendor(
    ({ app, vendor }, path) => app.as(vendor).post(`${path}/revisions/1/release`),
    // Previews of later revisions go on.
    () => [{ current: 1, ring: null, isDecided: true }, 200],
  ),
  preview: ofVendor(
    ({ app, vendor, previewer }, path) =>
      app.as(vendor).put(`${path}/revisions/3/previewers`, { organizationIds: [previewer.id] }),
    ({ isThirdReleased }) => (isThirdReleased ? [{}, 409] : [{ preview: 3 }, 200]),
  ),
  withdrawal: ofVendor(
    ({ app, vendor }, path) => app.as(vendor).post(`${path}/withdraw`, { reason: 'It is old.' }),
    () => [{ isWithdrawn: true }, 200],
  ),
  offer: ofVendor(
    ({ app, vendor }, path) => app.as(vendor).post(`${path}/offer`),
    () => [{ isWithdrawn: false }, 200],
  ),
  quarantine: {
    call: ({ app }, moduleId) => app.as('operator').post(quarantinePath(moduleId), { reason: 'It is bad.' }),
    apply: (state) =>
      state.isDeleted ? [state, MISSING] : [{ ...state, isQuarantined: true, isDecided: true }, 200],
  },
  'end of a quarantine': {
    call: ({ app }, moduleId) => app.as('operator').delete(quarantinePath(moduleId)),
    // A deleted module stays in quarantine, and leaves it as any other.
    apply: (state) => (state.isQuarantined ? [{ ...state, isQuarantined: false }, 204] : [state, MISSING]),
  },
  deletion: ofVendor(
    ({ app, vendor }, path) => app.as(vendor).delete(path),
    ({ isQuarantined }) => [{ ...START, isQuarantined, isDeleted: true, isDecided: true }, 204],
  ),
};

/** How an import ends, with the revision that it releases, if any. */
export type ImportEnding = 'released' | 'staged' | 'rejected';

/** An import accepted before the decision that the state knows of, or after it. */
export function applyImport(
  state: ModuleState,
  accepted: 'before' | 'after',
): readonly [ModuleState, ImportEnding] {
  if (accepted === 'before' && state.isDeleted) return [state, 'rejected'];
  if (accepted === 'before' && state.isDecided) return [state, 'staged'];
  return [{ ...state, isDeleted: false, current: 4, ring: null, preview: null }, 'released'];
}

/** What each farmer sees, and what is said about the module, in this state. */
export function visibleOf(state: ModuleState) {
  if (state.isDeleted) return { seen: [null, null, null], isWithdrawn: null, isQuarantined: null };
  const { current, ring, preview, isWithdrawn, isQuarantined } = state;
  return { seen: [current, ring ?? current, preview ?? current], isWithdrawn, isQuarantined };
}

/** The same, read from the service. */
export async function readVisible({ app, vendor, other, ringed, previewer }: PairMarket, moduleId: string) {
  const { status, body } = await app.as(vendor).get(`/modules/${moduleId}/releases`);
  const isThere = status === 200;
  const seen = await Promise.all(
    [other, ringed, previewer].map(async (farmer) => {
      const answer = await app.as(farmer).get(`/availableModules/${moduleId}`);
      return answer.status === 404 ? null : Number(answer.body.revision);
    }),
  );
  return {
    seen,
    isWithdrawn: isThere ? body.withdrawal !== null : null,
    isQuarantined: isThere ? body.quarantine !== null : null,
  };
}

/** Starts a service without a worker, with a module to copy. */
export async function startPairMarket(): Promise<PairMarket> {
  const app = await startTestApp({ worker: false });
  const vendor = await app.organization();
  const farmers = [1, 2, 3].map(() => app.organization({ kind: 'farmer', tenantId: vendor.tenantId }));
  const [other, ringed, previewer] = await Promise.all(farmers);
  if (other === undefined || ringed === undefined || previewer === undefined) throw new Error('no farmers');
  const template = await withWorker(app, async () => {
    const moduleId = await importSample(app, vendor, { descriptor: { scope: null, component: 'c1' } });
    await importSample(app, vendor, { descriptor: { scope: null, moduleId, component: 'c2' } });
    const third = samplePackage(app.api.catalogue, {
      descriptor: { scope: null, moduleId, component: 'c3' },
    });
    await app.importPackage(vendor, third, { query: '?release=staged' });
    return moduleId;
  });
  return { app, vendor, ringed, previewer, other, template };
}

const REVISION = `organization_id, import_id, imported_by, publisher, descriptor, environment, roles, alert_rules, packing, checks,
  archive_bytes, archive_sha256, created_at, released_at, became_current_at`;

/** Makes a module as the template is. */
export async function copyModule({ app, template }: PairMarket): Promise<string> {
  const { database, encryptionKeys } = app.api;
  const moduleId = randomUUID();
  await database.raw(
    `insert into modules (id, organization_id, tenant_id, current_revision, newest_revision)
     select :moduleId, organization_id, tenant_id, current_revision, newest_revision from modules where id = :template`,
    { moduleId, template },
  );
  const rows = await database('module_revisions')
    .where({ moduleId: template })
    .select<{ revision: number; fingerprint: Buffer }[]>('revision', 'fingerprint');
  for (const { revision, fingerprint } of rows) {
    const opened = encryptionKeys.open(fingerprint, fingerprintOf(template));
    const sealed = encryptionKeys.seal(opened, fingerprintOf(moduleId));
    await database.raw(
      `insert into module_revisions (module_id, revision, fingerprint, archive_key, ${REVISION})
       select :moduleId, revision, :sealed, gen_random_uuid()::text, ${REVISION}
       from module_revisions where module_id = :template and revision = :revision`,
      { moduleId, template, revision, sealed },
    );
  }
  return moduleId;
}
