import { findPushKey } from '../../shared/db/notifications/push-key.ts';
import { OutboundFetch } from '../../shared/outbound/outbound-fetch.ts';
import type { WorkerContext } from '../worker-context.ts';
import type { Sender } from './alert-messages.ts';
import { severityOf, writePush } from './push-text.ts';
import { sendPush, type OutgoingPush } from './send-push.ts';

const HOUR = 3_600;

/** How long a push service tries, and whether it wakes a device that saves its battery. */
const SENDING = {
  info: { ttlSeconds: 12 * HOUR, urgency: 'low' },
  warning: { ttlSeconds: 24 * HOUR, urgency: 'normal' },
  critical: { ttlSeconds: 72 * HOUR, urgency: 'high' },
} as const satisfies Readonly<Record<string, Partial<OutgoingPush>>>;

/** Sends messages to browsers, by the push services that these have chosen. */
export function pushSender({
  database,
  encryptionKeys,
  config,
}: Pick<WorkerContext, 'database' | 'encryptionKeys' | 'config'>): Sender {
  const outbound = new OutboundFetch(config.outbound);
  const { publicUrl } = config.server;
  // RFC 8292, section 2.1: it may be left out, and is no plain http.
  const subject = publicUrl?.startsWith('https:') === true ? publicUrl : null;
  return {
    channel: 'push',
    async open() {
      const key = await findPushKey(database, encryptionKeys);
      if (key === null) return null;
      return async (message) => {
        const { address: endpoint, pushKeys: keys } = message;
        if (keys === null) throw new Error('a browser has no keys');
        const options = SENDING[severityOf(message)];
        const push = { endpoint, keys, text: JSON.stringify(writePush(message)), ...options };
        return sendPush(outbound, key, subject, push);
      };
    },
  };
}
