import { setTimeout } from 'node:timers/promises';
import type { ServiceAddress } from '../../support/service-reader.ts';
import type { ClientSettings } from './fault.ts';
import type { Upload } from './packages.ts';

/** The content of an answer: the import exists, and its end if it has ended. */
export interface Acknowledgement {
  readonly importId: string;
  readonly status: string;
  readonly moduleId: string | null;
  readonly revision: number | null;
  /** When its client received it. */
  readonly atMs: number;
}

/** The history of one upload, as its client saw it. */
export interface UploadStory {
  readonly upload: Omit<Upload, 'form'>;
  readonly startedMs: number;
  /** When its client received the end; null: it never did. */
  endedMs: number | null;
  readonly acknowledged: Acknowledgement[];
  /** Acknowledged imports that were answered with 404 later. */
  readonly gone: Acknowledgement[];
  /** Answers that no fault excuses. */
  readonly strange: string[];
}

type CallInit = Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> };

interface CallAnswer {
  readonly status: number;
  /** Whether it has `Retry-After`. */
  readonly mayRetry: boolean;
  readonly body: unknown;
}

/** Whether an answer to an upload says when to send it again: no fault of a part excuses another answer. */
function isToBeRepeated({ status, mayRetry }: CallAnswer): boolean {
  return (status === 503 || status === 429) && mayRetry;
}

const isEnd = (status: string) => status !== 'queued' && status !== 'running';

/**
 * Uploads as a sensible client does: with a key it resends what was answered by 5xx or not at all, to the next
 * process, and polls until the import has ended.
 */
export class Client {
  readonly #address: ServiceAddress;
  readonly #settings: Omit<ClientSettings, 'count'>;
  #calls = 0;

  constructor(address: ServiceAddress, settings: Omit<ClientSettings, 'count'>) {
    this.#address = address;
    this.#settings = settings;
  }

  async upload({ form, ...upload }: Upload): Promise<UploadStory> {
    const story: UploadStory = {
      upload,
      startedMs: Date.now(),
      endedMs: null,
      acknowledged: [],
      gone: [],
      strange: [],
    };
    await this.#send(story, form);
    return story;
  }

  /** Checks that an import that ended is still there; where it is gone, sends its upload again. */
  async check(story: UploadStory, form: Buffer): Promise<void> {
    const [{ importId } = { importId: '' }] = story.acknowledged;
    const answer = await this.#call(`imports/${importId}`, {});
    if (answer?.status !== 404) return;
    forget(story);
    if (story.upload.key !== null) await this.#send(story, form);
  }

  /** Sends an upload until its import has ended. */
  async #send(story: UploadStory, form: Buffer): Promise<void> {
    const { upload } = story;
    const startedMs = Date.now();
    while (Date.now() < startedMs + this.#settings.patienceMs) {
      const answer = await this.#post(upload, form);
      const reported = answer === null ? null : acknowledgementIn(answer.body);
      if (reported !== null) {
        story.acknowledged.push(reported);
        await this.#follow(story, reported, startedMs);
        // A lost import is sent again, if its client can identify it.
        if (story.acknowledged.length > 0 || upload.key === null) return;
        continue;
      }
      if (answer !== null && !isToBeRepeated(answer)) {
        story.strange.push(`${answer.status} ${JSON.stringify(answer.body)}`);
        return;
      }
      // Without a key it cannot know whether the package arrived.
      if (upload.key === null) return;
      await setTimeout(this.#settings.pollMs);
    }
  }

  async #follow(story: UploadStory, { importId, status }: Acknowledgement, startedMs: number): Promise<void> {
    if (isEnd(status)) {
      story.endedMs = Date.now();
      return;
    }
    while (Date.now() < startedMs + this.#settings.patienceMs) {
      await setTimeout(this.#settings.pollMs);
      const answer = await this.#call(`imports/${importId}`, {});
      if (answer === null || answer.status >= 500 || answer.status === 429) continue;
      if (answer.status === 404) {
        forget(story);
        return;
      }
      const reported = acknowledgementIn(answer.body);
      if (reported === null) {
        story.strange.push(`${answer.status} ${JSON.stringify(answer.body)} for import ${importId}`);
        return;
      }
      if (!isEnd(reported.status)) continue;
      story.acknowledged.push(reported);
      story.endedMs = Date.now();
      return;
    }
  }

  async #post({ key, isAsync }: Omit<Upload, 'form'>, form: Buffer) {
    return this.#call('ImportModuleAsync', {
      method: 'POST',
      headers: {
        'Content-Type': 'multipart/form-data; boundary=bench',
        ...(key !== null && { 'Idempotency-Key': key }),
        ...(isAsync && { Prefer: 'respond-async' }),
      },
      body: new Uint8Array(form),
    });
  }

  /** Null where no answer came. */
  async #call(path: string, init: CallInit): Promise<CallAnswer | null> {
    const { urls, organizationId, token } = this.#address;
    this.#calls += 1;
    const url = `${urls[this.#calls % urls.length] ?? ''}/api/v8.0/${organizationId}/${path}`;
    try {
      const response = await fetch(url, {
        ...init,
        headers: { Authorization: `Bearer ${token}`, ...init.headers },
        signal: AbortSignal.timeout(60_000),
      });
      return {
        status: response.status,
        mayRetry: response.headers.has('retry-after'),
        body: await response.json(),
      };
    } catch {
      return null;
    }
  }
}

/** Moves an acknowledged import to the lost ones. */
function forget(story: UploadStory): void {
  story.gone.push(...story.acknowledged.splice(0));
  story.endedMs = null;
}

/** The import in a body; a problem that names one means that it still runs, or that it failed. */
function acknowledgementIn(body: unknown): Acknowledgement | null {
  if (typeof body !== 'object' || body === null || !('importId' in body)) return null;
  const { importId, status, moduleId, revision, type } = body as Record<string, unknown>;
  if (typeof importId !== 'string') return null;
  const runsOn = type === '/problems/import-still-running';
  return {
    importId,
    status: typeof status === 'string' ? status : runsOn ? 'running' : 'failed',
    moduleId: typeof moduleId === 'string' ? moduleId : null,
    revision: typeof revision === 'number' ? revision : null,
    atMs: Date.now(),
  };
}
