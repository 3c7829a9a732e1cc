import type { LRUCache } from 'lru-cache';
import type { EncryptionKeys } from '../../shared/encryption/encryption-keys.ts';
import type { FinishedAttempt } from '../../shared/db/webhooks/attempts.ts';
import { changeItem } from '../../shared/db/changes/change-item.ts';
import type { Delivery } from '../../shared/db/webhooks/deliveries.ts';
import { signingKeysOf } from '../../shared/db/sealed-columns.ts';
import {
  NoAnswerError,
  type OutboundAnswer,
  type OutboundFetch,
} from '../../shared/outbound/outbound-fetch.ts';
import { AddressRefusedError } from '../../shared/outbound/outbound-url.ts';
import {
  CALL_MS,
  callHeaders,
  retryAfterSeconds,
  TEST_TYPE,
  webhookBody,
  type WebhookItem,
} from '../../shared/webhooks/webhook-call.ts';
import { openSigner, type PreviousKeys, type Signer } from '../../shared/webhooks/sign-webhook.ts';
import { dateTimeText } from '../../shared/structures/text-rules.ts';

const MAX_ANSWER_BYTES = 64 * 1024;

const MINUTE = 60;
const HOUR = 3_600;
/** After each attempt the wait for the next; together three days, after which the last one is made. */
const WAITS_SECONDS = [5, 30, 2 * MINUTE, 10 * MINUTE, HOUR / 2, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR];
const LONGEST_WAIT_SECONDS = 20 * HOUR;
/** A receiver that asks for more time than this is tried anyway. */
const LONGEST_RETRY_AFTER_SECONDS = 24 * HOUR;
/** Each wait is up to a fifth longer, so that what failed together is not repeated together. */
const JITTER = 0.2;

const GONE = 410;

/** The parts that a call of a webhook uses. */
export interface Sender {
  readonly outbound: Pick<OutboundFetch, 'fetch'>;
  readonly encryptionKeys: EncryptionKeys;
  /** Opened keys, by the webhook and their sealed form. */
  readonly signers: LRUCache<string, readonly Signer[]>;
}

/** How a call ended, and whether the receiver wants no more. */
export interface SentAttempt extends FinishedAttempt {
  readonly isGone: boolean;
}

/** Calls a webhook once. Never throws for what the receiver does. @throws KeysMissingError */
export async function sendWebhook(sender: Sender, delivery: Delivery): Promise<SentAttempt> {
  const { webhook, eventId, change } = delivery;
  const at = new Date();
  const item = change === null ? testItem(eventId, at) : changeItem(change);
  const body = webhookBody(item);
  const headers = callHeaders({ id: eventId, body }, signersOf(sender, webhook, at), at);
  const startedMs = performance.now();
  const result = await call(sender.outbound, webhook.url, headers, body);
  const status = result.answer?.status ?? null;
  const isDelivered = status !== null && status >= 200 && status < 300;
  return {
    webhookId: webhook.id,
    eventId,
    type: item.type,
    number: delivery.attempts,
    status,
    error: result.error,
    durationMs: Math.round(performance.now() - startedMs),
    retrySeconds: isDelivered ? null : retrySeconds(delivery.attempts, result.answer),
    isGone: status === GONE,
  };
}

function testItem(id: string, at: Date): WebhookItem {
  return { id, cursor: null, type: TEST_TYPE, at: dateTimeText(at), organizationId: null };
}

interface CallResult {
  readonly answer: OutboundAnswer | null;
  readonly error: string | null;
}

async function call(
  outbound: Pick<OutboundFetch, 'fetch'>,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<CallResult> {
  const limits = { maxBytes: MAX_ANSWER_BYTES, timeoutMs: CALL_MS };
  try {
    return { answer: await outbound.fetch(url, { method: 'POST', headers, body, ...limits }), error: null };
  } catch (error) {
    if (error instanceof AddressRefusedError || error instanceof NoAnswerError)
      return { answer: null, error: error.message };
    throw error;
  }
}

/** The keys of a webhook cannot be opened: it cannot be called. */
export class KeysMissingError extends Error {
  override readonly name = 'KeysMissingError';
}

/** The keys that sign now: during a rotation those before it too, unless they are lost. @throws KeysMissingError */
function signersOf(
  sender: Sender,
  { id, sealedKeys, previousSealedKeys, previousUntil }: Delivery['webhook'],
  now: Date,
): readonly Signer[] {
  const isOverlapping = previousUntil !== null && previousUntil > now;
  const current = signersIn(sender, id, sealedKeys);
  if (current.length === 0) throw new KeysMissingError(`ENCRYPTION_KEYS opens no keys of the webhook ${id}`);
  const previous =
    isOverlapping && previousSealedKeys !== null ? signersIn(sender, id, previousSealedKeys) : [];
  return [...current, ...previous];
}

/** The keys in these sealed bytes; none where the settings have no key that opens them. */
function signersIn(
  { encryptionKeys, signers }: Sender,
  webhookId: string,
  sealed: Buffer,
): readonly Signer[] {
  const name = `${webhookId} ${sealed.toString('base64')}`;
  const known = signers.get(name);
  if (known !== undefined) return known;
  const owner = signingKeysOf(webhookId);
  if (!encryptionKeys.opens(sealed, owner)) return [];
  const { earlier = [], ...keys } = encryptionKeys.openJson(sealed, owner) as PreviousKeys;
  const opened = [keys, ...earlier].map((each) => openSigner(each));
  signers.set(name, opened);
  return opened;
}

/** The longest wait for the next attempt, whatever the receiver asks for. */
export function longestWaitSeconds(): number {
  return Math.max(LONGEST_WAIT_SECONDS * (1 + JITTER), LONGEST_RETRY_AFTER_SECONDS);
}

/** After how long a call is tried again; at the earliest when the receiver asks for it. */
export function retrySeconds(attempts: number, answer: Pick<OutboundAnswer, 'headers'> | null): number {
  const wait = WAITS_SECONDS[attempts - 1] ?? LONGEST_WAIT_SECONDS;
  const jittered = wait * (1 + Math.random() * JITTER);
  const asked = Math.min(retryAfterSeconds(answer?.headers['retry-after']), LONGEST_RETRY_AFTER_SECONDS);
  return Math.ceil(Math.max(jittered, asked));
}
