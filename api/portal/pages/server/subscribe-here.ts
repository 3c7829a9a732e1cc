import { callApi } from './call-api.ts';
import { SCOPE } from './push.ts';

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

const policy = window.trustedTypes?.createPolicy('service-worker', { createScriptURL: () => SCRIPT });

/**
 * Asks the person, and subscribes this browser to the alerts of an organization; false: they have not allowed it, or the
 * browser has not reached its push service. @throws CallError
 */
export async function subscribeHere(
  organizationId: string,
  publicKey: string,
  language: 'en' | 'de',
): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false;
  const subscription = await subscribe(await registerScript(), publicKey).catch(() => null);
  if (subscription === null) return false;
  const { endpoint = '', keys = {} } = subscription.toJSON();
  const { p256dh = '', auth = '' } = keys;
  const body = { endpoint, keys: { p256dh, auth }, language };
  await callApi('POST', `/${organizationId}/pushSubscriptions`, body);
  return true;
}

async function registerScript(): Promise<ServiceWorkerRegistration> {
  await navigator.serviceWorker.register(policy?.createScriptURL('') ?? SCRIPT, { scope: SCOPE });
  return navigator.serviceWorker.ready;
}

async function subscribe(
  { pushManager }: ServiceWorkerRegistration,
  applicationServerKey: string,
): Promise<PushSubscription> {
  const options = { userVisibleOnly: true, applicationServerKey };
  return pushManager.subscribe(options).catch(async () => {
    // One that was made with an earlier key is in the way.
    await (await pushManager.getSubscription())?.unsubscribe();
    return pushManager.subscribe(options);
  });
}
