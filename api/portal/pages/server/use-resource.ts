import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Answer, callAny, CallError, hasSessionEnded, type ItemAt } from './call-api.ts';

/** The answer to a read. `value` and `error` are both null while it is being fetched for the first time. */
export interface Resource<Body> {
  readonly value: Body | null;
  readonly error: unknown;
  reload(): Promise<void>;
}

/** A list of which further pages can be fetched. */
export interface ResourceList<Item> extends Resource<readonly Item[]> {
  /** Null: this is the last page. */
  readonly readMore: (() => Promise<void>) | null;
  /** The number of items on all pages, where the list says it. */
  readonly total: number | null;
}

/** Reads an address of the API, and again when the address changes. */
export const useResource: <Address extends string>(address: Address) => Resource<Answer<'GET', Address>> =
  useBody;

/** Reads the first page of a list, and further pages on demand. */
export const useList: <Address extends string>(address: Address) => ResourceList<ItemAt<Address>> = usePages;

function useBody<Body>(path: string): Resource<Body> {
  const [state, setState] = useState<{ path: string; value: Body | null; error: unknown }>({
    path,
    value: null,
    error: null,
  });
  const readings = useRef({ path, started: 0, answered: 0 }).current;
  readings.path = path;
  const reload = useCallback(async () => {
    const { path } = readings;
    const reading = (readings.started += 1);
    // Answers can overtake each other: an earlier one must not replace a later one, nor that of another address.
    const isOutdated = () => readings.path !== path || reading < readings.answered;
    try {
      const value = await callAny<Body>('GET', path);
      if (isOutdated()) return;
      readings.answered = reading;
      setState({ path, value, error: null });
    } catch (error) {
      if (isOutdated()) return;
      readings.answered = reading;
      setState((before) => ({ path, value: before.path === path ? before.value : null, error }));
    }
  }, []);
  useEffect(() => {
    void reload();
  }, [path]);
  return state.path === path ? { ...state, reload } : { value: null, error: null, reload };
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly total?: number | null;
  readonly nextCursor: string | null;
}

function usePages<Item>(path: string): ResourceList<Item> {
  const first = useBody<Page<Item>>(path);
  const [further, setFurther] = useState<{ after: Page<Item> | null; pages: readonly Page<Item>[] }>({
    after: null,
    pages: [],
  });
  const [moreError, setMoreError] = useState<unknown>(null);
  const pages =
    first.value === null ? [] : [first.value, ...(further.after === first.value ? further.pages : [])];
  const cursor = pages.at(-1)?.nextCursor ?? null;
  const readMore = async () => {
    const query = `${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor ?? '')}`;
    try {
      const page = await callAny<Page<Item>>('GET', `${path}${query}`);
      setFurther({ after: first.value, pages: [...pages.slice(1), page] });
      setMoreError(null);
    } catch (error) {
      setMoreError(error);
    }
  };
  return {
    value: first.value === null ? null : pages.flatMap(({ items }) => items),
    error: first.error ?? moreError,
    reload: first.reload,
    total: first.value?.total ?? null,
    readMore: cursor === null ? null : readMore,
  };
}

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

/** Repeats something while the page is visible and the session has not ended. */
export function useEvery(everyMs: number, act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden && !hasSessionEnded()) latest.current();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
