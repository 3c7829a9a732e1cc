import { randomBytes, createECDH } from 'node:crypto';
import { encrypt } from 'http_ece';
import { SignJWT } from 'jose';
import type { PushKey } from '../../shared/db/notifications/push-key.ts';
import type { PushKeys } from '../../shared/db/notifications/push-subscriptions.ts';
import {
  NoAnswerError,
  type OutboundAnswer,
  type OutboundFetch,
} from '../../shared/outbound/outbound-fetch.ts';
import { AddressRefusedError } from '../../shared/outbound/outbound-url.ts';
import { retryAfterSeconds } from '../../shared/webhooks/webhook-call.ts';
import type { SentMessage } from './alert-messages.ts';

/** A message to one browser. */
export interface OutgoingPush {
  readonly endpoint: string;
  readonly keys: PushKeys;
  readonly text: string;
  /** The push service keeps it this long for a browser that is away. */
  readonly ttlSeconds: number;
  readonly urgency: 'low' | 'normal' | 'high';
}

const CALL_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** Push services refuse a token that is valid for more than a day (RFC 8292, section 2). */
const TOKEN_LIFETIME = '12h';

/**
 * Sends a message to a push service (RFC 8030). It has no topic, so no later message replaces it there. The address is a
 * stranger's: it is called as such, and no redirect followed.
 */
export async function sendPush(
  outbound: Pick<OutboundFetch, 'fetch'>,
  key: PushKey,
  subject: string | null,
  { endpoint, keys, text, ttlSeconds, urgency }: OutgoingPush,
): Promise<SentMessage> {
  const headers = {
    Authorization: `vapid t=${await tokenFor(endpoint, key, subject)}, k=${key.publicKey}`,
    'Content-Encoding': 'aes128gcm',
    'Content-Type': 'application/octet-stream',
    TTL: String(ttlSeconds),
    Urgency: urgency,
  };
  const limits = { maxBytes: MAX_ANSWER_BYTES, timeoutMs: CALL_MS };
  const body = encryptPush(Buffer.from(text), keys);
  try {
    return resultOf(await outbound.fetch(endpoint, { method: 'POST', headers, body, ...limits }));
  } catch (error) {
    if (error instanceof NoAnswerError && error.isSent) return { result: 'unknown' };
    if (error instanceof NoAnswerError || error instanceof AddressRefusedError)
      return { result: 'deferred', reason: error.message };
    throw error;
  }
}

/** That this service sends it, for this push service alone (RFC 8292). */
async function tokenFor(endpoint: string, { privateKey }: PushKey, subject: string | null): Promise<string> {
  const token = new SignJWT(subject === null ? {} : { sub: subject })
    .setProtectedHeader({ typ: 'JWT', alg: 'ES256' })
    .setAudience(new URL(endpoint).origin)
    .setExpirationTime(TOKEN_LIFETIME);
  return token.sign(privateKey);
}

/** What makes each encryption another one. */
interface Ephemeral {
  readonly salt: Buffer;
  readonly privateKey: Buffer;
}

/** Encrypts a text for a browser alone: its push service cannot read it (RFC 8291). */
export function encryptPush(
  text: Buffer,
  { p256dh, auth }: PushKeys,
  ephemeral: Ephemeral | null = null,
): Buffer {
  const pair = createECDH('prime256v1');
  if (ephemeral === null) pair.generateKeys();
  else pair.setPrivateKey(ephemeral.privateKey);
  return encrypt(text, {
    version: 'aes128gcm',
    salt: ephemeral?.salt ?? randomBytes(16),
    privateKey: pair,
    dh: p256dh,
    authSecret: auth,
  });
}

const GONE: readonly number[] = [404, 410];

function resultOf({ status, headers }: OutboundAnswer): SentMessage {
  if (status >= 200 && status < 300) return { result: 'sent' };
  if (GONE.includes(status)) return { result: 'gone' };
  return {
    result: 'deferred',
    reason: `the push service answered ${status}`,
    retryAfterSeconds: retryAfterSeconds(headers['retry-after']),
  };
}
