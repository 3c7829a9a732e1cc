import { parse } from 'regexparam';
import { createContext } from 'preact';
import type { RefObject } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';

/** The path whose heading the reader has been led to; of the page that is loaded first the browser tells by itself. */
let headedPath = location.pathname;

/** Goes to another page of the portal without loading it anew. */
export function goTo(path: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (replace && headedPath === location.pathname) headedPath = path;
  if (replace) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  dispatchEvent(new PopStateEvent('popstate'));
  if (!replace) scrollTo(0, 0);
}

/** The path of the page that is shown. */
export function usePath(): string {
  const [path, setPath] = useState(location.pathname);
  useEffect(() => {
    const read = () => {
      setPath(location.pathname);
    };
    addEventListener('popstate', read);
    addEventListener('click', followLink);
    return () => {
      removeEventListener('popstate', read);
      removeEventListener('click', followLink);
    };
  }, []);
  return path;
}

/** The path of the page, to its parts. */
export const PathContext = createContext(location.pathname);

/**
 * Leads the focus to the heading of a page that was gone to without loading it, as soon as the heading is there:
 * a screen reader would tell nothing of the new page, and Tab would go on from where the old link was.
 */
export function useArrival(heading: RefObject<HTMLElement | null>): void {
  const path = useContext(PathContext);
  useEffect(() => {
    if (path === headedPath) return;
    headedPath = path;
    // Back and Forward scroll by themselves.
    heading.current?.focus({ preventScroll: true });
  }, [path]);
}

/** Links to pages of the portal are followed here; all others by the browser. */
function followLink(event: MouseEvent): void {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.origin !== location.origin || link.target !== '' || link.hasAttribute('download'))
    return;
  // A place within the page, such as the content after the navigation.
  if (link.hash !== '') return;
  if (!/^\/portal(?:$|\/(?!api\/|sign-in|media\/))/.test(link.pathname)) return;
  event.preventDefault();
  goTo(link.pathname);
}

interface Pattern {
  readonly keys: readonly string[];
  readonly pattern: RegExp;
}

const patterns = new Map<string, Pattern>();

/** The parameters of a path that fits the pattern, such as `/portal/:orgId/modules`; null: it does not fit. */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | null {
  const parsed: Pattern = patterns.get(pattern) ?? parse(pattern);
  patterns.set(pattern, parsed);
  const found = parsed.pattern.exec(path);
  if (found === null) return null;
  const pairs = parsed.keys.flatMap((key, index) => {
    const value = found[index + 1];
    return value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(pairs);
}
