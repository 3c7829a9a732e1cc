/** The options of an LRU cache of at most this many entries. With `max` it allocates room for all of them: 2 ms for 10,000. */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
