import { useCallback, useEffect, useState } from 'preact/hooks';
import type { List } from './answers.ts';
import { callApi } from './call-api.ts';

/** Something that is read from the API: being read, there, or not to be had. */
export interface Resource<Body> {
  readonly value: Body | null;
  readonly error: unknown;
  reload(): Promise<void>;
}

/** Reads an address of the API, and again when it changes; null reads nothing. */
export function useResource<Body>(path: string | null): Resource<Body> {
  const [state, setState] = useState<{ path: string | null; value: Body | null; error: unknown }>({
    path: null,
    value: null,
    error: null,
  });
  const reload = useCallback(async () => {
    if (path === null) return;
    try {
      const value = await callApi<Body>('GET', path);
      setState({ path, value, error: null });
    } catch (error) {
      setState((before) => ({ path, value: before.path === path ? before.value : null, error }));
    }
  }, [path]);
  useEffect(() => {
    void reload();
  }, [reload]);
  const isCurrent = state.path === path;
  return { value: isCurrent ? state.value : null, error: isCurrent ? state.error : null, reload };
}

/** A list of which more pages can be read. */
export interface ResourceList<Item> extends Resource<readonly Item[]> {
  /** Null: there is no more. */
  readonly readMore: (() => Promise<void>) | null;
}

/** Reads the first page of a list, and more when asked. */
export function useList<Item>(path: string): ResourceList<Item> {
  const first = useResource<List<Item>>(path);
  const [further, setFurther] = useState<{ of: List<Item> | null; pages: readonly List<Item>[] }>({
    of: null,
    pages: [],
  });
  const [moreError, setMoreError] = useState<unknown>(null);
  const pages =
    first.value === null ? [] : [first.value, ...(further.of === first.value ? further.pages : [])];
  const cursor = pages.at(-1)?.nextCursor ?? null;
  const readMore = async () => {
    const query = `${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor ?? '')}`;
    try {
      const page = await callApi<List<Item>>('GET', `${path}${query}`);
      setFurther({ of: first.value, pages: [...pages.slice(1), page] });
      setMoreError(null);
    } catch (error) {
      setMoreError(error);
    }
  };
  return {
    value: first.value === null ? null : pages.flatMap(({ items }) => items),
    error: first.error ?? moreError,
    reload: first.reload,
    readMore: cursor === null ? null : readMore,
  };
}
