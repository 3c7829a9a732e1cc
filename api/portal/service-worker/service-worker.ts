/*
 * Shows notifications of alerts. It has no listener for `fetch`: pages are loaded without it.
 */

declare const self: ServiceWorkerGlobalScope;
export {};

/** What the service sends, encrypted for this browser alone. */
interface PushText {
  readonly title: string;
  readonly body: string;
  readonly url: string;
}

self.addEventListener('push', (event) => {
  const { title, body, url } = event.data?.json() as PushText;
  // Without a tag: a later notification has other alerts and replaces none.
  event.waitUntil(self.registration.showNotification(title, { body, data: url }));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(show(String(event.notification.data)));
});

/** Shows a page of this portal: in a tab that was opened with it, or in a new one. */
async function show(address: string): Promise<void> {
  const { href, origin, pathname, search } = new URL(address, self.location.origin);
  if (origin !== self.location.origin) return;
  // The portal's pages are loaded without this worker, so that it controls none of them.
  const tabs = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const tab = tabs.find(({ url }) => url === href);
  await (tab === undefined ? self.clients.openWindow(href) : tab.focus());
  // The tab may have gone to another page since.
  tab?.postMessage(pathname + search);
}
