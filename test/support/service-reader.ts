import { setTimeout } from 'node:timers/promises';

const RETRY_MS = 100;
/** An answer that comes later than this never comes. */
const ANSWER_MS = 60_000;

/** Where clients find the service. */
export interface ServiceAddress {
  readonly urls: readonly string[];
  readonly organizationId: string;
  readonly token: string;
}

/** An answer, whole and decoded. */
export interface ServiceAnswer {
  /** 0: none came, or it broke off. */
  readonly status: number;
  readonly body: Buffer;
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

type CallInit = Omit<RequestInit, 'headers'> & { readonly headers: Readonly<Record<string, string>> };

/** Reads what the service has of one vendor organization, from its API processes in turn. */
export class ServiceReader {
  readonly #address: ServiceAddress;
  readonly #patientUntilMs: number;
  #calls = 0;

  /**
   * For so long from now on 5xx and broken answers are asked for again: a process may still have connections that
   * a fault cut. What is damaged for good stays so.
   */
  constructor(address: ServiceAddress, patienceMs: number) {
    this.#address = address;
    this.#patientUntilMs = Date.now() + patienceMs;
  }

  /** How many API processes answer. */
  get processes(): number {
    return this.#address.urls.length;
  }

  /** Gets a path below the organization's. */
  async get(path: string, encoding: 'gzip' | 'identity' = 'identity'): Promise<ServiceAnswer> {
    return this.#call(path, { headers: { 'Accept-Encoding': encoding } });
  }

  /** Gets JSON. @throws Error where the answer is not 200 */
  async getJson<Item>(path: string): Promise<Item> {
    const { status, body } = await this.get(path);
    if (status !== 200) throw new Error(`${path} answers ${status}: ${body.toString()}`);
    return JSON.parse(body.toString()) as Item;
  }

  /** Reads a list to its end. */
  async list<Item>(path: string): Promise<readonly Item[]> {
    const items: Item[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const next: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const page: Page<Item> = await this.getJson(`${path}?limit=200${next}`);
      items.push(...page.items);
      cursor = page.nextCursor;
    }
    return items;
  }

  /** Has a package validated, and nothing stored. */
  async validate(zip: Buffer): Promise<ServiceAnswer> {
    const body = new FormData();
    body.set('file', new Blob([new Uint8Array(zip)]), 'package.zip');
    return this.#call('ImportModuleAsync?validateOnly=true', { method: 'POST', headers: {}, body });
  }

  async #call(path: string, init: CallInit): Promise<ServiceAnswer> {
    const startedMs = Date.now();
    for (;;) {
      const answer = await this.#callOnce(path, init);
      const isBroken = answer.status === 0 || answer.status >= 500;
      // A bound on answers at once is no damage: one that has ended for its client may hold its slot a little longer.
      const isBusy = answer.status === 429 && Date.now() < startedMs + ANSWER_MS;
      if (!isBusy && !(isBroken && Date.now() < this.#patientUntilMs)) return answer;
      await setTimeout(RETRY_MS);
    }
  }

  async #callOnce(path: string, init: CallInit): Promise<ServiceAnswer> {
    const { urls, organizationId, token } = this.#address;
    this.#calls += 1;
    const url = `${urls[this.#calls % urls.length] ?? ''}/api/v8.0/${organizationId}/${path}`;
    try {
      const response = await fetch(url, {
        ...init,
        headers: { Authorization: `Bearer ${token}`, ...init.headers },
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      return { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
    } catch (error) {
      return { status: 0, body: Buffer.from(String(error)) };
    }
  }
}
