/** Calls a function for each item, at most `atOnce` at a time. The first failure stops further calls and is thrown. */
export async function forEachAtOnce<Item>(
  items: Iterable<Item>,
  atOnce: number,
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const remaining = items[Symbol.iterator]();
  let failed = false;
  const lane = async () => {
    for (let next = remaining.next(); next.done !== true && !failed; next = remaining.next()) {
      await act(next.value).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: atOnce }, lane));
  for (const result of lanes) if (result.status === 'rejected') throw result.reason;
}
