/** A simulated process: what it waits for reaches it only while it runs. */
export interface Owner {
  /** Null: it was killed; later than now: it is suspended until then. */
  readonly runsFromMs: number | null;
}

interface Entry {
  atMs: number;
  readonly order: number;
  readonly owner: Owner | null;
  act: (() => void) | null;
  everyMs?: number;
}

const realImmediate = setImmediate;
const real = { setTimeout, setInterval, clearTimeout, clearInterval, now: performance.now.bind(performance) };

/**
 * Virtual time: the next entry runs when everything that the last one started has come to wait. The global timers and
 * `performance.now()` follow it, so that the product's own time limits, polls and schedules do.
 */
export class VirtualClock {
  nowMs = Date.UTC(2026, 0, 1);
  /** The process whose code runs now: the timers that it starts are its own. */
  #running: Owner | null = null;
  #order = 0;
  readonly #heap: Entry[] = [];

  get now(): Date {
    return new Date(this.nowMs);
  }

  after(waitMs: number, owner: Owner | null, act: () => void): Entry {
    const entry = { atMs: this.nowMs + Math.max(0, Math.ceil(waitMs)), order: this.#order++, owner, act };
    this.#push(entry);
    return entry;
  }

  sleep(waitMs: number): Promise<void> {
    return new Promise((resolve) => void this.after(waitMs, null, resolve));
  }

  /** Runs entries until then, or until `isDone`. */
  async runUntil(endMs: number, isDone: () => boolean = () => false): Promise<void> {
    while (!isDone()) {
      const next = this.#heap[0];
      if (next === undefined || next.atMs > endMs) break;
      this.#pop();
      if (next.act === null || this.#isPostponed(next)) continue;
      this.nowMs = next.atMs;
      this.#running = next.owner;
      next.act();
      this.#repeat(next);
      await new Promise((resolve) => realImmediate(resolve));
    }
    if (!isDone()) this.nowMs = Math.max(this.nowMs, endMs);
  }

  /** Runs a function during which the global timers are this clock's. */
  async during<Result>(act: () => Promise<Result>): Promise<Result> {
    const restore = this.#installTimers();
    try {
      return await act();
    } finally {
      restore();
    }
  }

  /** Runs a function whose timers are the process's. */
  as<Result>(owner: Owner, act: () => Result): Result {
    const outer = this.#running;
    this.#running = owner;
    try {
      return act();
    } finally {
      this.#running = outer;
    }
  }

  #repeat(entry: Entry): void {
    if (entry.everyMs === undefined) return;
    entry.atMs = this.nowMs + entry.everyMs;
    this.#push(entry);
  }

  /** A killed process never gets the result that it waits for; a suspended one gets it when it continues. */
  #isPostponed(entry: Entry): boolean {
    if (entry.owner === null) return false;
    const { runsFromMs } = entry.owner;
    if (runsFromMs === null) return true;
    if (runsFromMs <= entry.atMs) return false;
    entry.atMs = runsFromMs;
    this.#push(entry);
    return true;
  }

  #installTimers(): () => void {
    const timeout = (act: () => void, waitMs = 0) => this.after(waitMs, this.#running, act);
    const interval = (act: () => void, everyMs: number) =>
      Object.assign(this.after(everyMs, this.#running, act), { everyMs });
    const clear = (entry: Entry | undefined) => {
      if (entry !== undefined) entry.act = null;
    };
    Object.assign(globalThis, {
      setTimeout: timeout,
      setInterval: interval,
      clearTimeout: clear,
      clearInterval: clear,
    });
    performance.now = () => this.nowMs;
    const { now, ...timers } = real;
    return () => {
      Object.assign(globalThis, timers);
      performance.now = now;
    };
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isBefore(entry, heap[above]!)) break;
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below += 1;
      if (!isBefore(heap[below]!, last)) break;
      heap[at] = heap[below]!;
      at = below;
    }
    heap[at] = last;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
