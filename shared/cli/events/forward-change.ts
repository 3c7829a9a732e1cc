import { setTimeout as sleep } from 'node:timers/promises';
import {
  CALL_MS,
  callHeaders,
  retryAfterSeconds,
  webhookBody,
  type WebhookItem,
} from '../../webhooks/webhook-call.ts';
import { openSigner } from '../../webhooks/sign-webhook.ts';
import { CannotRunError, reasonOf } from '../exit-codes.ts';

/** Where events are delivered, and what they are signed with. */
export interface Receiver {
  readonly url: string;
  readonly secret: string;
}

/** How a call ended. */
export interface Delivered {
  /** Null: there was no answer. */
  readonly status: number | null;
  /** The status, or why there was no answer. */
  readonly text: string;
  readonly durationMs: number;
  readonly retryAfterSeconds: number;
}

const LONGEST_PAUSE_SECONDS = 30;
const GONE = 410;

/** Calls a receiver once, as the server calls a webhook. Never throws for what the receiver does. */
export async function callReceiver({ url, secret }: Receiver, item: WebhookItem): Promise<Delivered> {
  const body = webhookBody(item);
  const headers = { ...callHeaders({ id: item.id, body }, [openSigner({ secret })], new Date()) };
  const startedMs = performance.now();
  const ended = (status: number | null, text: string, retryAfter: string | null = null) => {
    const durationMs = Math.round(performance.now() - startedMs);
    return { status, text, durationMs, retryAfterSeconds: retryAfterSeconds(retryAfter) };
  };
  try {
    // The server follows no redirect either.
    const init = { method: 'POST', headers, body, redirect: 'manual' } as const;
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(CALL_MS) });
    await response.body?.cancel();
    return ended(response.status, String(response.status), response.headers.get('retry-after'));
  } catch (error) {
    return ended(null, noAnswer(error));
  }
}

/** Whether a receiver has the event. */
export function isAccepted({ status }: Delivered): boolean {
  return status !== null && status >= 200 && status < 300;
}

/**
 * Delivers an event until it is accepted, with growing pauses; `onAttempt` gets each attempt and the seconds until the next.
 * @throws CannotRunError where the receiver answers 410
 */
export async function deliver(
  receiver: Receiver,
  item: WebhookItem,
  onAttempt: (attempt: Delivered, pauseSeconds: number | null) => void,
): Promise<void> {
  for (let failures = 0; ; failures += 1) {
    const attempt = await callReceiver(receiver, item);
    const asked = Math.max(2 ** failures, attempt.retryAfterSeconds);
    const isEnded = isAccepted(attempt) || attempt.status === GONE;
    const pause = Math.min(asked, LONGEST_PAUSE_SECONDS);
    onAttempt(attempt, isEnded ? null : pause);
    if (isAccepted(attempt)) return;
    if (isEnded)
      throw new CannotRunError('The receiver answered 410 Gone: a webhook is disabled by this answer.');
    await sleep(pause * 1_000);
  }
}

function noAnswer(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer';
  if (error.name === 'TimeoutError') return `no answer within ${CALL_MS / 1_000} s`;
  const { cause } = error;
  if (cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED')
    return 'nothing listens there';
  return reasonOf(error) || error.message;
}
