/**
 * Calls a function for each item, at most `atOnce` at a time; returns the errors. An item that fails stops no other,
 * however often it comes again at the head of a line. Only where the first `atOnce` all fail the rest is left: then it is
 * not the items.
 */
export async function forEachAtOnce<Item>(
  items: Iterable<Item>,
  atOnce: number,
  act: (item: Item) => Promise<void>,
): Promise<readonly unknown[]> {
  const remaining = items[Symbol.iterator]();
  const errors: unknown[] = [];
  let hasSucceeded = false;
  const lane = async () => {
    for (let next = remaining.next(); next.done !== true; next = remaining.next()) {
      if (!hasSucceeded && errors.length >= atOnce) return;
      try {
        await act(next.value);
        hasSucceeded = true;
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return errors;
}
