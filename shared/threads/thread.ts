import { Worker } from 'node:worker_threads';
import type { FromThread, ToThread } from './tasks.ts';
import { clockOf, type ThreadClock } from './thread-time.ts';

/** The limits of one thread. */
export interface ThreadLimits {
  /** The size of its heap, in MiB: input that needs more ends the thread, not the process. */
  readonly maxHeapMiB: number;
  /** The processor time for one task: input that needs more ends the thread. */
  readonly maxTaskMs: number;
  /** The time that may pass meanwhile: a busy machine lets a thread wait for a processor. */
  readonly maxElapsedMs: number;
}

/** How often the time of a task is compared with its limits. */
const CHECK_MS = 1_000;

/**
 * A thread ended while it ran a task: the input needs more memory or time than a thread may use. Null: the thread is faulty, or
 * has waited too long for a processor.
 */
export class ThreadEndedError extends Error {
  override readonly name = 'ThreadEndedError';
  readonly usedUp: 'memory' | 'time' | null;

  constructor(usedUp: 'memory' | 'time' | null, cause?: unknown) {
    super(usedUp === null ? 'the thread has ended' : `the task uses up the ${usedUp} of its thread`, {
      cause,
    });
    this.usedUp = usedUp;
  }
}

interface Waiting {
  readonly startMs: number;
  /** Processor time that the thread had used before. */
  readonly usedBeforeMs: number;
  readonly onTook: (ms: number) => void;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** One thread: it runs one task at a time. */
export class Thread {
  readonly #worker: Worker;
  readonly #limits: ThreadLimits;
  /** Null: it has not started, and has used no time. */
  #clock: ThreadClock | null = null;
  #waiting: Waiting | null = null;
  #end: ThreadEndedError | null = null;

  constructor(module: URL, limits: ThreadLimits) {
    this.#limits = limits;
    const createdMs = performance.now();
    this.#worker = new Worker(module, {
      resourceLimits: { maxOldGenerationSizeMb: limits.maxHeapMiB },
      // A thread needs no settings, and can reveal none.
      env: {},
    });
    // An idle thread does not keep the process alive.
    this.#worker.unref();
    this.#worker.on('message', (message: FromThread) => {
      if ('number' in message) {
        this.#clock = message.number === null ? () => performance.now() - createdMs : clockOf(message.number);
        return;
      }
      const waiting = this.#takeWaiting();
      waiting?.onTook(message.tookMs);
      if ('error' in message) waiting?.reject(message.error);
      else waiting?.resolve(message.result);
    });
    this.#worker.on('error', (error: Error) => {
      const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      this.#ended(new ThreadEndedError(isMemory ? 'memory' : null, error));
    });
    this.#worker.on('exit', () => this.#ended(new ThreadEndedError(null)));
  }

  get hasEnded(): boolean {
    return this.#end !== null;
  }

  send(message: Exclude<ToThread, { kind: 'run' }>): void {
    this.#worker.postMessage(message);
  }

  /**
   * Runs a task; `onTook` is called with the processor time that it took, also where it fails.
   * @throws ThreadEndedError if the thread ends meanwhile, and what the task throws.
   */
  async run(name: string, input: unknown, onTook: (ms: number) => void): Promise<unknown> {
    if (this.#end !== null) throw this.#end;
    this.#worker.ref();
    const { maxTaskMs, maxElapsedMs } = this.#limits;
    const [usedBeforeMs, startMs] = [this.#timeMs(), performance.now()];
    const timer = setInterval(
      () => {
        const usedMs = this.#timeMs() - usedBeforeMs;
        const usedUp = usedMs >= maxTaskMs ? 'time' : null;
        if (usedUp === null && performance.now() - startMs < maxElapsedMs) return;
        this.#ended(new ThreadEndedError(usedUp), usedMs);
        void this.#worker.terminate();
      },
      Math.min(maxTaskMs, CHECK_MS),
    );
    try {
      // A value that cannot be sent throws here, before anything waits for its result.
      this.#worker.postMessage({ kind: 'run', name, input } satisfies ToThread, buffersOf(input));
      return await new Promise<unknown>((resolve, reject) => {
        this.#waiting = { startMs, usedBeforeMs, onTook, resolve, reject };
      });
    } finally {
      clearInterval(timer);
      this.#worker.unref();
    }
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #timeMs(): number {
    return this.#clock?.() ?? 0;
  }

  /** A thread that has ended by itself no longer says what it has used since the last check. */
  #lastUsedMs({ startMs, usedBeforeMs }: Waiting): number {
    return Math.min(performance.now() - startMs, this.#timeMs() - usedBeforeMs + CHECK_MS);
  }

  #takeWaiting(): Waiting | null {
    const waiting = this.#waiting;
    this.#waiting = null;
    return waiting;
  }

  #ended(error: ThreadEndedError, usedMs?: number): void {
    this.#end ??= error;
    const waiting = this.#takeWaiting();
    waiting?.onTook(usedMs ?? this.#lastUsedMs(waiting));
    waiting?.reject(this.#end);
  }
}

/** Bytes are handed over, not copied; a part of a larger buffer is copied, since others use the rest. */
function buffersOf(input: unknown): ArrayBuffer[] {
  const bytes: unknown = typeof input === 'object' && input !== null && 'bytes' in input ? input.bytes : null;
  if (!(bytes instanceof Uint8Array) || !(bytes.buffer instanceof ArrayBuffer)) return [];
  return bytes.byteLength === bytes.buffer.byteLength ? [bytes.buffer] : [];
}
