import { request } from 'node:http';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { packageForm } from './package-form.ts';

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

interface CallInit {
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** Sends a request, and reads the answer to its end. Not with fetch: that waits for ever for gzip that is damaged. */
async function answerOf(
  url: string,
  { body, ...init }: RequestOptions & { body?: Buffer },
): Promise<ServiceAnswer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, init, resolve).once('error', reject).end(body);
  });
  const bytes = await buffer(response);
  const isGzip = response.headers['content-encoding'] === 'gzip';
  return { status: response.statusCode ?? 0, body: isGzip ? gunzipSync(bytes) : bytes };
}

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
    const form = new Response(packageForm(zip));
    const headers = { 'Content-Type': form.headers.get('content-type') ?? '' };
    const body = Buffer.from(await form.arrayBuffer());
    return this.#call('ImportModuleAsync?validateOnly=true', { method: 'POST', headers, body });
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
      const signal = AbortSignal.timeout(ANSWER_MS);
      return await answerOf(url, {
        ...init,
        signal,
        headers: { Authorization: `Bearer ${token}`, ...init.headers },
      });
    } catch (error) {
      return { status: 0, body: Buffer.from(String(error)) };
    }
  }
}
