/** The results of one side of a benchmark. */
export interface Measurement {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Runs an operation `count` times, this many at once, and measures each run. */
export async function measure(
  count: number,
  atOnce: number,
  act: (index: number) => Promise<void>,
): Promise<Measurement> {
  const durations: number[] = [];
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      const start = performance.now();
      await act(index);
      durations.push(performance.now() - start);
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: atOnce }, lane));
  const seconds = (performance.now() - start) / 1_000;
  durations.sort((a, b) => a - b);
  const at = (share: number) =>
    durations[Math.min(durations.length - 1, Math.floor(durations.length * share))] ?? 0;
  return { perSecond: count / seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
}

/** Runs an operation with each of the items, this many at once, and measures each run. */
export function measureEach<Item>(
  items: readonly Item[],
  atOnce: number,
  act: (item: Item) => Promise<void>,
): Promise<Measurement> {
  const remaining = items.values();
  return measure(items.length, atOnce, async () => {
    const next = remaining.next();
    if (next.done !== true) await act(next.value);
  });
}

/** A table for the terminal: first column left, the others right. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) {
    const cells = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    console.log(cells.join('   '));
  }
}
