import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { SeededModule } from '../bench/machine-access-seed.ts';
import type { ServiceAddress } from '../support/service-reader.ts';

const FARMS = 20;
const MOST_FARMS_AT_ONCE = 3;
const PAUSE_MS = 20;
const RETRY_MS = 150;
/** A follower dies so often between a page and the storing of its cursor. */
const FORGETS_IN = 10;
const PAGE = 100;

interface FeedItem {
  readonly id: string;
  readonly cursor: string;
  readonly type: string;
  readonly structureIds?: readonly string[] | null;
}

interface FeedPage {
  readonly items: readonly FeedItem[];
  readonly nextCursor: string;
  readonly hasMore: boolean;
}

interface LaneCall {
  readonly method?: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** The changed farms of one write or one change, as a text that can be compared. */
const farmsOf = (ids: readonly string[]) => ids.toSorted().join(' ');

/**
 * One farmer who changes farms, each change once and after the one before, and the back end of a module that follows
 * the feed with a copy of its own. Both repeat what was not answered.
 */
export class ChangeLane {
  readonly module: SeededModule;
  readonly issues: string[] = [];
  /** Of each write, in order. */
  readonly #written: string[] = [];
  readonly #followed: FeedItem[] = [];
  readonly #farmIds = Array.from({ length: FARMS }, () => randomUUID());
  readonly #address: ServiceAddress;
  readonly #farmerToken: string;
  #calls = randomInt(FARMS);
  #copy = '';

  constructor(address: ServiceAddress, module: SeededModule, farmerToken: string) {
    this.#address = address;
    this.module = module;
    this.#farmerToken = farmerToken;
  }

  /** The IDs of the changes that the follower has seen, in order. */
  get seen(): readonly string[] {
    return this.#followed.map(({ id }) => id);
  }

  /** Writes random changes, at least so many, until the load is over. */
  async write(count: number, isOver: () => boolean): Promise<void> {
    for (let made = 0; made < count || !isOver(); made += 1) {
      const first = randomInt(FARMS);
      const ids = Array.from(
        { length: 1 + randomInt(MOST_FARMS_AT_ONCE) },
        (_, at) => this.#farmIds[(first + at) % FARMS] ?? '',
      );
      const farms = ids.map((id) => ({ id, name: randomUUID() }));
      const headers = { Authorization: `Bearer ${this.#farmerToken}` };
      await this.call({
        ...{ method: 'PUT', path: `/${this.module.organizationId}/structures`, headers },
        body: { farms },
      });
      this.#written.push(farmsOf(ids));
      await setTimeout(PAUSE_MS);
    }
  }

  /** Follows the feed until it has all that was written. */
  async follow(isWritten: () => boolean): Promise<void> {
    let cursor = '0';
    for (;;) {
      const isLast = isWritten();
      const page = await this.#page(cursor);
      // As after a crash: what was read is not processed, and read again.
      if (randomInt(FORGETS_IN) === 0) {
        const again = await this.#page(cursor);
        const repeated = again.items.slice(0, page.items.length);
        if (JSON.stringify(repeated) !== JSON.stringify(page.items))
          this.issues.push(`other changes are read again from ${cursor}`);
      }
      this.#followed.push(...page.items);
      cursor = page.nextCursor;
      if (page.items.length > 0) this.#copy = await this.#readAll();
      if (isLast && !page.hasMore && page.items.length === 0) return;
    }
  }

  /** Compares the feed with what was written, and the copy with a full read. */
  async compare(): Promise<void> {
    const changes = this.#followed.filter(({ type }) => type === 'structures.changed');
    const followed = changes.map(({ structureIds }) => farmsOf(structureIds ?? []));
    const different = this.#written.findIndex((each, at) => each !== followed[at]);
    if (different >= 0 || followed.length !== this.#written.length)
      this.issues.push(
        `change ${different} of ${this.#written.length} is not that of the feed, which has ${followed.length}`,
      );
    const ids = new Set(this.seen);
    if (ids.size !== this.#followed.length) this.issues.push('the feed has a change twice');
    if (this.#copy !== (await this.#readAll())) this.issues.push('the copy differs from a full read');
  }

  async #page(cursor: string): Promise<FeedPage> {
    const { moduleId, key } = this.module;
    const path = `/Alerts/ChangesByModuleId/${moduleId}?cursor=${cursor}&limit=${PAGE}`;
    return JSON.parse(await this.call({ path, headers: { 'X-Api-Key': key, Prefer: 'wait=1' } })) as FeedPage;
  }

  async #readAll(): Promise<string> {
    const { moduleId, key } = this.module;
    return this.call({ path: `/Alerts/StructuresByModuleId/${moduleId}`, headers: { 'X-Api-Key': key } });
  }

  /** Repeats a call at the next process until it succeeds; returns the body of the answer. */
  async call({ method = 'GET', path, headers, body }: LaneCall): Promise<string> {
    const { urls } = this.#address;
    for (;;) {
      this.#calls += 1;
      const url = `${urls[this.#calls % urls.length] ?? ''}/api/v8.0${path}`;
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
      const signal = AbortSignal.timeout(60_000);
      const answer = await fetch(url, { method, headers: { ...headers, ...type }, ...init, signal })
        .then(async (response) => ({ status: response.status, text: await response.text() }))
        .catch(() => null);
      if (answer !== null && answer.status < 300) return answer.text;
      if (answer !== null && answer.status < 500 && answer.status !== 429)
        throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      await setTimeout(RETRY_MS);
    }
  }
}
