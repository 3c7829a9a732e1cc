/** Of the script that shows notifications: every page of the portal, also the one without a slash. */
export const SCOPE = '/portal';

/** Whether this browser can notify a person, what keeps it from that, and its address at its push service. */
export interface PushHere {
  readonly state: 'possible' | 'unsupported' | 'denied';
  /** Null: it is not subscribed. */
  readonly endpoint: string | null;
}

/** Reads whether this browser can notify a person, and as whom its push service knows it. */
export async function readPushHere(): Promise<PushHere> {
  // Also where the page is not loaded by https, and in private windows of some browsers.
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window))
    return { state: 'unsupported', endpoint: null };
  if (Notification.permission === 'denied') return { state: 'denied', endpoint: null };
  const subscription = await subscriptionHere();
  return { state: 'possible', endpoint: subscription?.endpoint ?? null };
}

async function subscriptionHere(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration(SCOPE);
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/**
 * Ends the subscription of this browser, whoever it notifies: the next person here is shown none of their alerts. Returns
 * its address; null: it had none.
 */
export async function unsubscribeHere(): Promise<string | null> {
  const subscription = (await readPushHere()).endpoint === null ? null : await subscriptionHere();
  // If this fails, the service still ends it.
  await subscription?.unsubscribe().catch(() => false);
  return subscription?.endpoint ?? null;
}
