import { useEffect, useRef, useState } from 'preact/hooks';
import { CallError } from '../server/call-api.ts';

const NOT_FOUND = 404;

/** Reads what has these IDs, each once. What does not exist is null; what is not read yet is absent. */
export function useEach<Value>(
  ids: readonly string[],
  read: (id: string) => Promise<Value>,
): ReadonlyMap<string, Value | null> {
  const [found, setFound] = useState<ReadonlyMap<string, Value | null>>(new Map());
  const requested = useRef(new Set<string>());
  useEffect(() => {
    const keep = (id: string, value: Value | null) => setFound((before) => new Map(before).set(id, value));
    for (const id of ids) {
      if (requested.current.has(id)) continue;
      requested.current.add(id);
      read(id).then(
        (value) => keep(id, value),
        (error: unknown) => {
          if (error instanceof CallError && error.status === NOT_FOUND) keep(id, null);
          // Read again when the page shows the item again.
          else requested.current.delete(id);
        },
      );
    }
  });
  return found;
}
