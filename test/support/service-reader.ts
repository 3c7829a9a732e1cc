import { request, type IncomingMessage, type RequestOptions } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { packageForm } from './package-form.ts';

const RETRY_MS = 100;
/** An answer that takes longer than this never comes. */
const ANSWER_MS = 60_000;

/** The addresses where clients find the service. */
export interface ServiceAddress {
  readonly urls: readonly string[];
  readonly organizationId: string;
  readonly token: string;
}

/** An answer, complete and decoded. */
export interface ServiceAnswer {
  /** 0: no answer came, or it broke off. */
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

/** Sends a request, and reads the answer to its end. Not with fetch, which waits forever for damaged gzip. */
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
   * For this long from now, 5xx and broken answers are retried: a process may still have connections that
   * a fault cut. Permanent damage stays visible.
   */
  constructor(address: ServiceAddress, patienceMs: number) {
    this.#address = address;
    this.#patientUntilMs = Date.now() + patienceMs;
  }

  /** The number of API processes. */
  get processes(): number {
    return this.#address.urls.length;
  }

  /** Gets a path relative to the organization's. */
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

  /** Has a package validated without importing it. */
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
      // A limit on concurrent answers is not damage: an answer may keep its slot a little after it ended for its client.
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
