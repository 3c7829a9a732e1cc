import { callApi } from './call-api.ts';

/** Browsers have it that check what makes the address of a script; the types of the DOM do not know it yet. */
declare global {
  interface Window {
    readonly trustedTypes?: {
      createPolicy(
        name: string,
        rules: { createScriptURL(address: string): string },
      ): { createScriptURL(address: string): string };
    };
  }
}

const SCRIPT = '/portal/service-worker.js';
const SCOPE = '/portal/';

const policy = window.trustedTypes?.createPolicy('service-worker', { createScriptURL: () => SCRIPT });

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

/** The person has not allowed notifications, or the browser's push service could not be reached. */
export class PushRefusedError extends Error {
  override readonly name = 'PushRefusedError';
}

/** Asks the person, and subscribes this browser to the alerts of an organization. @throws PushRefusedError, CallError */
export async function subscribeHere(
  organizationId: string,
  publicKey: string,
  language: 'en' | 'de',
): Promise<void> {
  const permission = await Notification.requestPermission();
  if (permission !== 'granted') throw new PushRefusedError();
  const registration = await registerScript();
  const options = { userVisibleOnly: true, applicationServerKey: publicKey };
  const subscribe = () => registration.pushManager.subscribe(options);
  const subscription = await subscribe()
    .catch(async () => {
      // One that was made with an earlier key is in the way.
      await (await registration.pushManager.getSubscription())?.unsubscribe();
      return subscribe();
    })
    .catch((error: unknown) => {
      throw new PushRefusedError('', { cause: error });
    });
  const { endpoint = '', keys = {} } = subscription.toJSON();
  const { p256dh = '', auth = '' } = keys;
  const body = { endpoint, keys: { p256dh, auth }, language };
  await callApi('POST', `/${organizationId}/pushSubscriptions`, body);
}

async function registerScript(): Promise<ServiceWorkerRegistration> {
  await navigator.serviceWorker.register(policy?.createScriptURL('') ?? SCRIPT, { scope: SCOPE });
  return navigator.serviceWorker.ready;
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
