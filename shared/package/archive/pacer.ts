/** The longest run of work before others get a turn. */
const TURN_MS = 4;

/** The items between two looks of `forEach` at the clock: they take much less than a turn. */
const ITEMS_PER_LOOK = 8;

/** The items that are sorted at once; sorted runs of this length are merged. */
const ITEMS_PER_SORT = 1_024;

/** Work that waits for its next turn. */
const waiting: (() => void)[] = [];

/** One work goes on in each turn of the event loop, however many wait: what is short is not delayed by all of them. */
function startNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(startNext);
}

/** Lets the event loop turn every few milliseconds of work that never waits. */
export class Pacer {
  #turnStarted = performance.now();

  /** Whether a turn is due. */
  get isDue(): boolean {
    return performance.now() - this.#turnStarted > TURN_MS;
  }

  /** Waits for the next turn. */
  async turn(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(startNext);
    });
    this.#turnStarted = performance.now();
  }

  /** Does the same with each item, in as many turns as it takes. */
  async forEach<Item>(items: Iterable<Item>, act: (item: Item) => unknown): Promise<void> {
    let done = 0;
    for (const item of items) {
      act(item);
      done += 1;
      if (done % ITEMS_PER_LOOK === 0 && this.isDue) await this.turn();
    }
  }

  /** The result of `items.toSorted(compare)`, in as many turns as it takes. */
  async sort<Item>(items: readonly Item[], compare: (a: Item, b: Item) => number): Promise<Item[]> {
    let runs: Item[][] = [];
    for (let from = 0; from < items.length; from += ITEMS_PER_SORT) {
      runs.push(items.slice(from, from + ITEMS_PER_SORT).sort(compare));
      if (this.isDue) await this.turn();
    }
    while (runs.length > 1) {
      const merged: Item[][] = [];
      for (let index = 0; index < runs.length; index += 2)
        merged.push(await this.#merge(runs[index] ?? [], runs[index + 1] ?? [], compare));
      runs = merged;
    }
    return runs[0] ?? [];
  }

  async #merge<Item>(
    left: readonly Item[],
    right: readonly Item[],
    compare: (a: Item, b: Item) => number,
  ): Promise<Item[]> {
    const [last, first] = [left.at(-1), right[0]];
    if (last === undefined || first === undefined || compare(last, first) <= 0) return [...left, ...right];
    const merged: Item[] = [];
    let taken = 0;
    await this.forEach(right, (item) => {
      for (let next = left[taken]; next !== undefined && compare(next, item) <= 0; next = left[taken]) {
        merged.push(next);
        taken += 1;
      }
      merged.push(item);
    });
    return [...merged, ...left.slice(taken)];
  }
}
