import express, { type Request, type RequestHandler, type Response } from 'express';
import type { Config } from '../../../shared/config/config.ts';
import { FairSlots, type LimitUse } from '../../../shared/limits/fair-slots.ts';
import { currentOwner } from '../../../shared/limits/owner.ts';
import { runHere, type TaskRunner } from '../../../shared/threads/tasks.ts';
import { ThreadEndedError } from '../../../shared/threads/thread.ts';
import { ThreadPool, THREADS } from '../../../shared/threads/thread-pool.ts';
import { jsonTasks, type JsonTasks } from '../../json-tasks.ts';
import { ProblemError } from '../problem.ts';
import { watchPace } from '../answer/watch-pace.ts';

/** A body up to this size cannot block the event loop for long, whatever it contains. */
const MAX_BYTES_HERE = 16 * 1024;

/** Memory is shared in KiB: a slot for each. */
const SLOT_BYTES = 1024;

/** The longest time that a body waits for memory, and then for a thread. */
const MAX_WAIT_MS = 5_000;
const MAX_WAITING_PER_ORGANIZATION = 4;

/** The heap of a thread: ten megabytes of JSON need up to 300 MiB. */
const THREAD_HEAP_MIB = 512;
/** For one step of a body; the worst of ten megabytes needs a few seconds of processor time. */
export const THREAD_TIMES = { maxTaskMs: 30_000, maxElapsedMs: 60_000 };

/** A body of a request, as it arrived. */
export interface ReceivedBody {
  readonly bytes: Uint8Array;
}

/** The bodies that are read, and their largest size. */
export interface BodyKind {
  readonly maxBytes: number;
  readonly read: RequestHandler;
}

/** Bodies of at most this size; of these media types, or of any. */
export function bodyKind(maxBytes: number, types?: readonly string[]): BodyKind {
  const type = types === undefined ? () => true : [...types];
  return { maxBytes, read: express.raw({ limit: maxBytes, type }) };
}

/** Reads JSON bodies: memory and threads are shared per organization, and none blocks the event loop. */
export class JsonBodies {
  readonly #memory: FairSlots;
  readonly #threads: ThreadPool<JsonTasks>;

  constructor({ jsonBodies, sharing }: Pick<Config, 'jsonBodies' | 'sharing'>) {
    const waiting = { maxWaitingPerOwner: MAX_WAITING_PER_ORGANIZATION, maxWaitMs: MAX_WAIT_MS };
    this.#memory = new FairSlots({
      ...waiting,
      resource: 'KiB of JSON bodies',
      max: Math.ceil(jsonBodies.maxBytesInFlight / SLOT_BYTES),
      maxPerOwner: Math.ceil(jsonBodies.maxBytesInFlightPerOrganization / SLOT_BYTES),
    });
    this.#threads = new ThreadPool({
      ...waiting,
      resource: 'large JSON bodies',
      module: new URL('../../json-thread.js', import.meta.url),
      // An organization's writes wait for each other anyway.
      ...THREADS,
      msPerSecond: sharing.maxThreadMsPerSecondPerOrganization,
      maxTimeWaitMs: 0,
      maxHeapMiB: THREAD_HEAP_MIB,
      ...THREAD_TIMES,
    });
  }

  /**
   * Reads the body of a request; its part of memory is free when the answer has ended. Null: it has none of this kind.
   * @throws ProblemError 408 or 413, NoSlotError, and OverRateError before a large body is read.
   */
  async read(request: Request, response: Response, kind: BodyKind): Promise<ReceivedBody | null> {
    const [owner, maxBytes] = [currentOwner(), sizeOf(request, kind.maxBytes)];
    if (maxBytes > MAX_BYTES_HERE) this.#threads.requireTime(owner);
    const free = await this.#memory.take(owner, Math.ceil(maxBytes / SLOT_BYTES));
    response.once('close', free);
    if (response.destroyed) free();
    await readWith(kind.read, request, response);
    const body: unknown = request.body;
    return body instanceof Uint8Array ? { bytes: body } : null;
  }

  /** Runs what is done with a body. @throws ProblemError 413 if it needs too much memory or time, NoSlotError and OverRateError. */
  async use<Result>(
    { bytes }: ReceivedBody,
    session: (tasks: TaskRunner<JsonTasks>) => Promise<Result>,
  ): Promise<Result> {
    if (bytes.length <= MAX_BYTES_HERE) return session(runHere(jsonTasks()));
    try {
      return await this.#threads.use(currentOwner(), session);
    } catch (error) {
      if (!(error instanceof ThreadEndedError) || error.usedUp === null) throw error;
      const detail = `The body needs too much ${error.usedUp} to be read. Send it in several parts.`;
      throw new ProblemError('request-too-large', detail);
    }
  }

  /** The memory that bodies use, in KiB. */
  memoryUse(): LimitUse {
    return this.#memory.use();
  }

  /** The number of threads that read larger bodies. */
  threadUse(): LimitUse {
    return this.#threads.limitUse();
  }

  async close(): Promise<void> {
    await this.#threads.close();
  }
}

/** How large a body can be: as declared, or the limit where it does not say or is compressed. */
function sizeOf(request: Request, maxBytes: number): number {
  const length = request.get('content-length');
  if (length === undefined || request.get('content-encoding') !== undefined) return maxBytes;
  return Math.min(Number(length), maxBytes);
}

async function readWith(read: RequestHandler, request: Request, response: Response): Promise<void> {
  // A client that sent Expect waits for this answer.
  if (/^100-continue$/i.test(request.get('expect') ?? '')) response.writeContinue();
  let stopWatching: () => void = () => undefined;
  await new Promise<void>((resolve, reject) => {
    stopWatching = watchPace(request, reject);
    void read(request, response, (error?: unknown) => {
      if (error === undefined) resolve();
      else reject(error instanceof Error ? error : new Error('the body could not be read'));
    });
  }).finally(() => stopWatching());
}
