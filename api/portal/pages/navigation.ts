import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';

/** The path whose heading has had the focus. Browsers announce the page that is loaded first by themselves. */
let headedPath = location.pathname;

/** Goes to another page of the portal without reloading. */
export function goTo(path: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (replace && headedPath === location.pathname) headedPath = new URL(path, location.href).pathname;
  if (replace) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  dispatchEvent(new PopStateEvent('popstate'));
  if (!replace) scrollTo(0, 0);
}

/** Returns a part of the page's address, and follows Back, Forward and links that change it. */
export function useAddress(part: 'pathname' | 'search'): string {
  const [value, setValue] = useState(location[part]);
  // Before the paint: a link can be followed as soon as it is shown.
  useLayoutEffect(() => {
    const read = () => setValue(location[part]);
    addEventListener('popstate', read);
    return () => removeEventListener('popstate', read);
  }, []);
  return value;
}

/**
 * Moves the focus to the heading of a page that was opened without reloading, as soon as the heading is there.
 * Otherwise a screen reader would not announce the page, and Tab would continue from the old link.
 */
export function useArrival(heading: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (location.pathname === headedPath) return;
    headedPath = location.pathname;
    // Back and Forward scroll by themselves.
    heading.current?.focus({ preventScroll: true });
  });
}

/** Follows links to pages of the portal; the browser follows all others. */
export function followLink(event: MouseEvent): void {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.origin !== location.origin || link.target !== '' || link.hasAttribute('download'))
    return;
  // A link within the page, such as the one to the content.
  if (link.hash !== '') return;
  if (!/^\/portal(?:$|\/(?!api\/|sign-in|media\/))/.test(link.pathname)) return;
  event.preventDefault();
  goTo(link.pathname + link.search);
}

/** Shows the page to which a click on a notification leads. */
export function followNotifications(): void {
  // Not where the page is loaded without https.
  if (!('serviceWorker' in navigator)) return;
  navigator.serviceWorker.addEventListener('message', ({ data }) => {
    const path = String(data);
    if (path !== location.pathname + location.search) goTo(path);
  });
}

/** The part of an address after the name of its page; may be empty. */
export interface PageParameters {
  readonly moduleId: string;
  readonly tab: string;
}

/** Where a sign-in for another tab returns to. */
export const SIGNED_IN_PAGE = '/portal/signed-in';

/** Where a person is signed in. */
export const SESSIONS_PAGE = '/portal/sessions';

/** Where an invitation is accepted; its secret is in the fragment of the address. */
export const INVITATION_PAGE = '/portal/invitation';
