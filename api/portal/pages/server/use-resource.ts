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

/** What an ID names: null if it does not exist any more, undefined while it is being fetched. */
export type Named<Body> = Body | null | undefined;

/** Reads what an ID names. */
export const useNamed: <Address extends string>(address: Address) => Named<Answer<'GET', Address>> = useFound;

function useFound<Body>(path: string): Named<Body> {
  const { value, error } = useBody<Body>(path);
  return value ?? (error instanceof CallError && error.status === NOT_FOUND ? null : undefined);
}

const NOT_FOUND = 404;

function useBody<Body>(path: string): Resource<Body> {
  return useRead<Body>(path, (isFirst) => readBody(path, isFirst));
}

function readBody<Body>(path: string, isFirst: boolean): Promise<Body> {
  return isFirst ? readShared(path) : callAny('GET', path);
}

/** The reads under way, which parts of a page that need the same share. */
const shared = new Map<string, Promise<unknown>>();

async function readShared<Body>(path: string): Promise<Body> {
  const reading = shared.get(path) ?? callAny<Body>('GET', path).finally(() => shared.delete(path));
  shared.set(path, reading);
  return (await reading) as Body;
}

/** Reads something that has a key, and again when the key changes or `reload` is called. */
export function useRead<Body>(key: string, read: (isFirst: boolean) => Promise<Body>): Resource<Body> {
  const [state, setState] = useState<{ key: string; value: Body | null; error: unknown }>({
    key,
    value: null,
    error: null,
  });
  const readings = useRef({ key, read, started: 0, answered: 0 }).current;
  Object.assign(readings, { key, read });
  const load = useCallback(async (isFirst: boolean) => {
    const { key } = readings;
    const reading = (readings.started += 1);
    // Answers can overtake each other: an earlier one must not replace a later one, nor that of another key.
    const isOutdated = () => readings.key !== key || reading < readings.answered;
    const show = (result: Partial<typeof state>) => {
      if (isOutdated()) return;
      readings.answered = reading;
      setState((before) => ({
        value: before.key === key ? before.value : null,
        error: null,
        ...result,
        key,
      }));
    };
    await readings.read(isFirst).then(
      (value) => show({ value }),
      (error: unknown) => show({ error }),
    );
  }, []);
  const reload = useCallback(() => load(false), []);
  useEffect(() => {
    void load(true);
  }, [key]);
  return state.key === key ? { ...state, reload } : { value: null, error: null, reload };
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly total?: number | null;
  readonly nextCursor?: string | null;
}

function usePages<Item>(path: string): ResourceList<Item> {
  const wanted = useRef({ path, count: 1 });
  if (wanted.current.path !== path) wanted.current = { path, count: 1 };
  // All pages that are shown: a reload must not take away those that the reader asked for.
  const { value, error, reload } = useRead(path, async (isFirst) => {
    let page = await readBody<Page<Item>>(path, isFirst);
    const pages = [page];
    while (page.nextCursor && pages.length < wanted.current.count) {
      const query = `${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(page.nextCursor)}`;
      page = await callAny('GET', `${path}${query}`);
      pages.push(page);
    }
    return pages;
  });
  const pages = value ?? [];
  const readMore = () => {
    wanted.current.count = pages.length + 1;
    return reload();
  };
  return {
    value: value && pages.flatMap(({ items }) => items),
    error,
    reload,
    total: pages[0]?.total ?? null,
    readMore: pages.at(-1)?.nextCursor ? readMore : null,
  };
}

/** Two lists as one: the items of the first before those of the second. */
export function joinLists<One, Other>(
  first: ResourceList<One>,
  second: ResourceList<Other>,
): ResourceList<One | Other> {
  return {
    value: first.value === null || second.value === null ? null : [...first.value, ...second.value],
    error: first.error ?? second.error,
    reload: async () => {
      await Promise.all([first.reload(), second.reload()]);
    },
    readMore: first.readMore ?? second.readMore,
    total: null,
  };
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
