import { createHash } from 'node:crypto';
import { archiveKeyOf } from '../../../shared/db/imports/archives.ts';
import type { GuaranteeWatch } from './guarantees.ts';
import { DEPLOYMENT } from './database-server.ts';
import type { Service } from './service.ts';
import { packageBytes, type SimulatedPackage } from './simulated-package.ts';
import type { SimulatedAnswer } from './simulated-request.ts';
import type { World } from './world.ts';

const ORGANIZATIONS = [1, 2].map((number) => `10000000-0000-4000-8000-00000000000${number}`);
/** The second and the third belong to whoever creates them first. */
const MODULES = [1, 2, 3].map((number) => `20000000-0000-4000-8000-00000000000${number}`);
const SCOPES = ['soil', 'weather', 'water'];
const MAX_TRIES = 4;

/** Clients of the API: each does one thing after the other, and tries again what got no answer. */
export class Clients {
  readonly #service: Service;
  readonly #watch: GuaranteeWatch;
  readonly #world: World;
  #keys = 0;
  /** Imports that clients know, with their organizations. */
  readonly #known: { readonly importId: string; readonly orgId: string }[] = [];
  #running = 0;
  /** Above the time limit of a step where something may fail. */
  readonly #longestMs: number;

  constructor(service: Service, watch: GuaranteeWatch, hasFaults: boolean) {
    this.#service = service;
    this.#longestMs = hasFaults ? 25_000 : 15_000;
    this.#watch = watch;
    this.#world = service.world;
  }

  /** Whether every client has got all its answers. */
  get areDone(): boolean {
    return this.#running === 0;
  }

  start(untilMs: number): void {
    const { clock, random } = this.#world;
    for (let count = random.between(1, 3); count > 0; count -= 1) {
      this.#running += 1;
      void this.#act(clock.nowMs + untilMs).finally(() => {
        this.#running -= 1;
      });
    }
  }

  /** An operator retries failed imports, one after the other. */
  async retryFailed(): Promise<void> {
    for (const { id, status } of [...this.#watch.imports.values()])
      if (status === 'failed') {
        this.#watch.retries(id);
        await this.#service.call('retryImport', { params: { importId: id } });
      }
  }

  async #act(endMs: number): Promise<void> {
    const { clock, random } = this.#world;
    const acts = random.between(1, 3);
    for (let act = 0; act < acts && clock.nowMs < endMs; act += 1) {
      await clock.sleep(random.chance(0.3) ? random.between(0, 100) : random.between(0, 12_000));
      const kind = random.next();
      if (kind < 0.7 || this.#known.length === 0) await this.#uploadSome();
      else if (kind < 0.85) await this.#cancel();
      else if (kind < 0.9) await this.#delete(random.pick(MODULES));
      else if (kind < 0.95) await this.#deleteRevision(random.pick(MODULES), random.between(1, 3));
      else await this.retryFailed();
    }
  }

  /** One, or several that arrive together. */
  async #uploadSome(): Promise<void> {
    const { random } = this.#world;
    const count = random.chance(0.3) ? random.between(2, 5) : 1;
    // Small packages of new modules, which also end together.
    const areNew = count > 1 && random.chance(0.4);
    await Promise.all(Array.from({ length: count }, () => this.#upload(areNew)));
  }

  async #upload(isNew: boolean): Promise<void> {
    const { random } = this.#world;
    const orgId = random.chance(0.8) ? ORGANIZATIONS[0]! : ORGANIZATIONS[1]!;
    const content = this.#newPackage(isNew);
    const { moduleId } = content;
    const bytes = packageBytes(content);
    const key = random.chance(0.6) ? `key-${(this.#keys += 1)}` : null;
    const headers = {
      ...(key !== null && { 'idempotency-key': key }),
      ...(random.chance(0.4) && { prefer: 'respond-async' }),
      ...(random.chance(0.1) && { 'if-match': random.pick(['"1"', '*']) }),
    };
    const query = { renameScope: 'true', ...(random.chance(0.12) && { validateOnly: 'true' }) };
    const isRepeated = key !== null && random.chance(0.15);
    const send = () => this.#send(orgId, bytes, key, headers, query);
    const isDeleted = moduleId !== null && random.chance(0.1);
    const isTrimmed = moduleId !== null && random.chance(0.1);
    await Promise.all([
      send(),
      isRepeated && send(),
      isDeleted && this.#deleteSoon(moduleId),
      isTrimmed && this.#deleteRevision(moduleId, random.between(1, 3)),
    ]);
  }

  #newPackage(isNew: boolean): SimulatedPackage {
    const { random } = this.#world;
    const moduleId = isNew || random.chance(0.25) ? null : random.pick(MODULES);
    const scope = random.pick(SCOPES);
    const longMs = random.chance(0.1) ? random.between(2_000, this.#longestMs) : random.between(1, 1_500);
    return {
      moduleId,
      scope: isNew && random.chance(0.8) ? `${scope}-${random.between(1, 1_000)}` : scope,
      content: random.between(1, 3),
      isInvalid: random.chance(0.1),
      validationMs: isNew ? 1 : longMs,
    };
  }

  /** Sends an upload until it is answered. */
  async #send(
    orgId: string,
    bytes: Buffer,
    key: string | null,
    headers: Readonly<Record<string, string>>,
    query: Readonly<Record<string, string>>,
  ): Promise<void> {
    const { clock, random } = this.#world;
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const importId = this.#newImportId();
      const archiveKey = archiveKeyOf(DEPLOYMENT, importId);
      const stored = { importId, archiveKey, sizeBytes: bytes.length, sha256: sha256Of(bytes) };
      const body = { body: bytes, upload: { ...stored, fileName: 'package.zip' } };
      this.#watch.sent(key, importId);
      const answer = await this.#service.call('importModule', { params: { orgId }, query, headers, body });
      this.#note(`upload ${key ?? importId}`, answer);
      if (answer !== null) this.#watch.uploaded(key, answer);
      if (answer?.importId !== undefined && answer.importId !== null) {
        this.#known.push({ importId: answer.importId, orgId });
        return;
      }
      if (answer !== null && answer.status < 500) return;
      await clock.sleep(random.between(200, 4_000));
    }
  }

  async #cancel(): Promise<void> {
    const params = this.#world.random.pick(this.#known);
    const answer = await this.#service.call('cancelImport', { params });
    this.#note(`cancel ${params.importId}`, answer);
    this.#watch.cancelled(params.importId, answer);
  }

  /** While an import of the module may be waiting or running. */
  async #deleteSoon(moduleId: string): Promise<void> {
    await this.#world.clock.sleep(this.#world.random.between(0, 2_000));
    await this.#delete(moduleId);
  }

  async #delete(moduleId: string): Promise<void> {
    const params = { orgId: ORGANIZATIONS[0]!, moduleId };
    const query = this.#world.random.chance(0.3) ? { purge: 'true' } : {};
    this.#note(`delete ${moduleId}`, await this.#service.call('deleteModule', { params, query }));
  }

  async #deleteRevision(moduleId: string, revision: number): Promise<void> {
    const params = { orgId: ORGANIZATIONS[0]!, moduleId, revision: String(revision) };
    const answer = await this.#service.call('deleteRevision', { params });
    this.#note(`delete revision ${revision} of ${moduleId}`, answer);
  }

  #newImportId(): string {
    const { random } = this.#world;
    const hex = (random.between(0, 0xffff) * 0x10000 + random.between(0, 0xffff)).toString(16);
    return `${hex.padStart(8, '0')}-0000-4000-8000-000000000000`;
  }

  #note(what: string, answer: SimulatedAnswer | null): void {
    this.#world.note(() => {
      if (answer === null) return `client: ${what}: no answer`;
      return `client: ${what}: ${answer.status} ${answer.code ?? ''} ${answer.importId ?? ''}`;
    });
  }
}

function sha256Of(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
