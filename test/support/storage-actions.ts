import { randomUUID } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { clearOrganizations } from '../../worker/maintenance/clear-organizations.ts';
import { ARCHIVES } from '../../shared/db/imports/archives.ts';
import { collectGarbage } from '../../worker/maintenance/collect-garbage.ts';
import { purgeOneModule, purgeOrganization } from '../../worker/maintenance/purge.ts';
import { failImport } from './fail-import.ts';
import { FIXTURE_ACTOR } from './fixture-actor.ts';
import { contextOf, openActor, runImport, type Actor } from './import-actors.ts';
import { Random } from './random.ts';
import { samplePackage } from './sample-package.ts';
import { startUpload } from './start-upload.ts';
import { startTestApp, type TestApp, type TestOrganization } from './test-app.ts';

const DAY_MS = 86_400_000;

/** Lets some removals of objects fail, but those of uploads without a row. */
function failRemovals({ storage, database }: TestApp['api'], random: Random): void {
  const remove = storage.remove.bind(storage);
  storage.remove = async (key) => {
    const rows = await database('stored_archives').where({ archiveKey: key });
    if (rows.length > 0 && random.chance(0.2)) throw new Error('the storage is away');
    await remove(key);
  };
}

/** What vendors, workers and operators do with stored packages, in a random order that follows from a seed. */
class StorageActions {
  readonly #app: TestApp;
  readonly #actor: Actor;
  readonly #random: Random;
  readonly #vendors: TestOrganization[] = [];
  readonly steps: string[] = [];

  private constructor(app: TestApp, seed: number) {
    this.#app = app;
    this.#actor = openActor(app);
    this.#random = new Random(seed);
    failRemovals(app.api, this.#random);
  }

  static async open(app: TestApp, seed: number): Promise<StorageActions> {
    const actions = new StorageActions(app, seed);
    for (let count = 0; count < 2; count += 1) actions.#vendors.push(await app.organization());
    return actions;
  }

  async close(): Promise<void> {
    await this.#actor.database.destroy();
  }

  /** One action, or two at once. */
  async step(): Promise<void> {
    if (this.#random.chance(0.05)) return this.#breakOff(this.#random.pick(this.#vendors));
    const count = this.#random.chance(0.3) ? 2 : 1;
    await Promise.all(Array.from({ length: count }, () => this.#act()));
  }

  async #act(): Promise<void> {
    const [random, vendor] = [this.#random, this.#random.pick(this.#vendors)];
    const actions: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['import', () => this.#upload(vendor, '')],
      ['import', () => this.#upload(vendor, '')],
      ['validate', () => this.#upload(vendor, '?validateOnly=true')],
      ['run', () => this.#withImport(['queued', 'running'], ({ id, retries }) => this.#run(id, retries))],
      ['run', () => this.#withImport(['queued', 'running'], ({ id, retries }) => this.#run(id, retries))],
      ['cancel', () => this.#withImport(['queued'], (row) => this.#call(row, 'cancel'))],
      ['fail', () => this.#withImport(['queued'], ({ id, retries }) => this.#fail(id, retries))],
      ['retry', () => this.#withImport(['failed'], ({ id }) => this.#operate(id, 'retry'))],
      ['dismiss', () => this.#withImport(['failed'], ({ id }) => this.#operate(id, 'dismiss'))],
      ['delete a revision', () => this.#deleteRevision(vendor)],
      ['delete a module', () => this.#deleteModule(vendor)],
      ['purge a module', () => this.#purgeModule(vendor)],
      ['let days pass', () => this.#pass(random.between(1, 40))],
      ['collect', () => collectGarbage(this.#context(), random.pick([0, DAY_MS]))],
      ['clear', () => clearOrganizations(this.#app.api, DAY_MS)],
      ['end an organization', () => this.#endOrganization(vendor)],
    ];
    const [name, act] = random.pick(actions);
    this.steps.push(name);
    await act();
  }

  #context() {
    return contextOf(this.#app, this.#actor);
  }

  /** Some are rejected, some change nothing, and some exceed the quota. */
  async #upload(vendor: TestOrganization, query: string): Promise<void> {
    const random = this.#random;
    const moduleId = await this.#someModule(vendor);
    const files = random.chance(0.2) ? { 'stray.txt': 'rejected' } : {};
    const component = random.pick(['the same', randomUUID()]);
    const named = moduleId !== null && random.chance(0.7) ? { moduleId } : {};
    const zip = samplePackage(this.#app.api.catalogue, { descriptor: { ...named, component }, files });
    const key = random.pick([{}, { 'Idempotency-Key': `key-${random.between(0, 3)}` }]);
    const headers = { Prefer: 'respond-async', ...key };
    await this.#app.importPackage(vendor, zip, { query, headers });
  }

  async #breakOff(vendor: TestOrganization): Promise<void> {
    this.steps.push('break an upload off');
    const { api, url } = this.#app;
    const target = `${url}/api/v8.0/${vendor.id}/ImportModuleAsync`;
    const request = await startUpload(target, vendor.admin, 1_000);
    await expect.poll(() => api.imports.uploadSlots.takenBy(vendor.id)).toBe(1);
    request.destroy();
    await expect.poll(() => api.imports.uploadSlots.takenBy(vendor.id)).toBe(0);
  }

  async #withImport(
    statuses: readonly string[],
    act: (row: { id: string; organizationId: string; retries: number }) => Promise<unknown>,
  ): Promise<void> {
    const rows = await this.#app.api
      .database('imports')
      .whereIn('status', statuses)
      .orderBy('acceptanceOrder')
      .select<{ id: string; organizationId: string; retries: number }[]>('id', 'organizationId', 'retries');
    if (rows.length > 0) await act(this.#random.pick(rows));
  }

  async #run(importId: string, retries: number): Promise<void> {
    await runImport(this.#context(), importId, { retries, attempts: 1 });
  }

  async #fail(importId: string, retries: number): Promise<void> {
    await failImport(this.#app.api.database, importId, { retries });
  }

  async #call({ id, organizationId }: { id: string; organizationId: string }, verb: string): Promise<void> {
    const vendor = this.#vendors.find((each) => each.id === organizationId);
    if (vendor !== undefined) await this.#app.as(vendor).post(`/imports/${id}/${verb}`);
  }

  async #operate(importId: string, verb: string): Promise<void> {
    await this.#app.as('operator').post(`/operations/imports/${importId}/${verb}`);
  }

  async #someModule({ id: organizationId }: TestOrganization): Promise<string | null> {
    const rows = await this.#app.api
      .database('modules')
      .where({ organizationId })
      .orderBy('createdAt')
      .select<{ id: string }[]>('id');
    return rows.length === 0 ? null : this.#random.pick(rows).id;
  }

  async #deleteRevision(vendor: TestOrganization): Promise<void> {
    const query = this.#random.pick(['', '?purge=true']);
    const revision = this.#random.between(1, 3);
    const moduleId = await this.#someModule(vendor);
    await this.#app.as(vendor).delete(`/modules/${moduleId ?? randomUUID()}/revisions/${revision}${query}`);
  }

  async #deleteModule(vendor: TestOrganization): Promise<void> {
    const query = this.#random.pick(['', '?purge=true']);
    await this.#app.as(vendor).delete(`/modules/${(await this.#someModule(vendor)) ?? randomUUID()}${query}`);
  }

  async #purgeModule(vendor: TestOrganization): Promise<void> {
    const moduleId = await this.#someModule(vendor);
    if (moduleId !== null) await purgeOneModule(this.#app.api, moduleId, FIXTURE_ACTOR);
  }

  async #pass(days: number): Promise<void> {
    const { database } = this.#app.api;
    for (const [table, column] of [
      ['imports', 'finished_at'],
      ['modules', 'deleted_at'],
      ['freed_archives', 'freed_at'],
    ])
      await database.raw(`update ${table} set ${column} = ${column} - ? * interval '1 day'`, [days]);
  }

  /** Another vendor takes its place. */
  async #endOrganization(vendor: TestOrganization): Promise<void> {
    if (!this.#random.chance(0.2)) return;
    const index = this.#vendors.indexOf(vendor);
    if (this.#random.chance(0.5)) await purgeOrganization(this.#app.api, vendor.id, FIXTURE_ACTOR);
    else await this.#app.as('operator').delete(`/organizations/${vendor.id}`);
    this.#vendors[index] = await this.#app.organization();
  }

  /** Each stored object counts for the organization whose import stored it, and nothing else does. */
  async expectConserved(): Promise<void> {
    const { api } = this.#app;
    const owners = new Map(
      (
        await api.database('imports').select<{ id: string; organizationId: string }[]>('id', 'organizationId')
      ).map(({ id, organizationId }) => [id, organizationId]),
    );
    const stored = new Map<string, number>();
    for await (const { key, sizeBytes } of api.storage.list(ARCHIVES)) {
      const owner = owners.get(key.slice(key.lastIndexOf('/') + 1)) ?? `nobody's ${key}`;
      stored.set(owner, (stored.get(owner) ?? 0) + sizeBytes);
    }
    const usage = await this.#app
      .as('operator')
      .pages<{ organizationId: string; storedBytes: number }>('/operations/usage');
    const counted = usage.filter(({ storedBytes }) => storedBytes > 0);
    expect(
      Object.fromEntries(counted.map(({ organizationId, storedBytes }) => [organizationId, storedBytes])),
      this.steps.join(', '),
    ).toEqual(Object.fromEntries(stored));
  }
}

/** Room for about ten packages: some uploads are refused. */
const SETTINGS = { MAX_STORED_BYTES_PER_ORGANIZATION: '20000', UPLOAD_RETENTION_DAYS: '7' };

/** Compares what counts with the storage after each step of a sequence. */
export async function expectConservation(seed: number, steps: number): Promise<void> {
  const app = await startTestApp({ worker: false, settings: SETTINGS });
  onTestFinished(() => app.stop());
  const actions = await StorageActions.open(app, seed);
  onTestFinished(() => actions.close());
  for (let step = 0; step < steps; step += 1) {
    await actions.step();
    await actions.expectConserved();
  }
}
