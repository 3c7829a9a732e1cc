import {
  claimMessage,
  gatherAlerts,
  recordGone,
  recordNotSent,
  recordSent,
  type ClaimedMessage,
} from '../../shared/db/notifications/alert-messages.ts';
import type { Channel } from '../../shared/db/notifications/notification-settings.ts';
import { forEachAtOnce } from '../../shared/process/for-each-at-once.ts';
import type { WorkerContext } from '../worker-context.ts';

/**
 * How a message was sent: `sent`; `unknown`: the receiver has it, and has not confirmed it; `bounced`: it refuses the
 * address for good; `gone`: the address has ended; `deferred`: it refuses for now; `unreachable`: the channel as a whole
 * takes no message.
 */
export type SentMessage =
  | { readonly result: 'sent' | 'unknown' | 'gone' }
  | { readonly result: 'deferred'; readonly reason?: string; readonly retryAfterSeconds?: number }
  | { readonly result: 'bounced'; readonly status: number }
  | { readonly result: 'unreachable'; readonly error: unknown };

/** Sends a message once. */
export type Send = (message: ClaimedMessage) => Promise<SentMessage>;

/** How messages reach people. */
export interface Sender {
  readonly channel: Channel;
  /** Opens what messages are sent with; null: none are sent now. */
  open(): Promise<Send | null>;
}

type Context = Pick<WorkerContext, 'database' | 'log' | 'metrics'>;

/** Of each channel: one that is slow does not hold the others up. */
const AT_ONCE = 4;
/** A run claims messages for this long, so that it ends within its lease; the next one goes on. */
const RUN_MS = 10_000;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_SECONDS = 300;

/**
 * Notifies people of alerts. A message is claimed in the database and then sent: of several workers one sends it, one that
 * stops ends what it sends, and what is lost with a process that is killed in between is not sent again.
 */
export class AlertMessages {
  readonly #database: Context['database'];
  readonly #lanes: readonly Lanes[];

  constructor(context: Context, senders: readonly Sender[]) {
    this.#database = context.database;
    this.#lanes = senders.map((sender) => new Lanes(context, sender));
  }

  /** Sends what is due. */
  async run(): Promise<void> {
    await gatherAlerts(this.#database);
    const endMs = performance.now() + RUN_MS;
    const errors = await forEachAtOnce(this.#lanes, this.#lanes.length, (lanes) => lanes.run(endMs));
    if (errors.length > 0) throw new AggregateError(errors, 'messages about alerts failed');
  }

  /** Claims no more messages; the run ends when those that it sends are sent. */
  stop(): void {
    for (const lanes of this.#lanes) lanes.stop();
  }
}

/** The messages of one channel, a few at once. */
class Lanes {
  readonly #context: Context;
  readonly #sender: Sender;
  #isStopped = false;
  /** While the channel takes no messages, it is tried at growing intervals. */
  #pauseMs = FIRST_PAUSE_MS;
  #pausedUntilMs = 0;

  constructor(context: Context, sender: Sender) {
    this.#context = context;
    this.#sender = sender;
  }

  async run(endMs: number): Promise<void> {
    const send = await this.#sender.open();
    if (send === null) return;
    const lanes = Array.from({ length: AT_ONCE }, () => send);
    const errors = await forEachAtOnce(lanes, AT_ONCE, (each) => this.#sendDue(each, endMs));
    if (errors.length > 0) throw new AggregateError(errors, `${this.#sender.channel} failed`);
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #sendDue(send: Send, endMs: number): Promise<void> {
    while (!this.#isStopped && performance.now() < endMs && performance.now() >= this.#pausedUntilMs) {
      const message = await claimMessage(this.#context.database, this.#sender.channel);
      if (message === null) return;
      if (message !== 'nothing') await this.#send(send, message);
    }
  }

  async #send(send: Send, message: ClaimedMessage): Promise<void> {
    const { database, log, metrics } = this.#context;
    const { channel } = this.#sender;
    const sent = await send(message);
    metrics.alertMessages.inc({ channel, result: sent.result });
    const { recipientId, organizationId, alertCount: alerts } = message;
    const fields = { channel, recipientId, organizationId, alerts };
    switch (sent.result) {
      case 'sent':
      case 'unknown':
        await recordSent(database, message);
        if (sent.result === 'unknown') log.warn(fields, 'message not confirmed; not sent again');
        this.#pauseMs = FIRST_PAUSE_MS;
        return;
      case 'gone':
        await recordGone(database, message);
        log.info(fields, 'browser is no longer subscribed');
        return;
      case 'bounced':
        await recordNotSent(database, message, { bounceStatus: sent.status });
        log.info({ ...fields, status: sent.status }, 'mail address refused');
        return;
      case 'deferred':
        await recordNotSent(database, message, sent);
        log.info({ ...fields, reason: sent.reason }, 'message refused for now; tried again later');
        return;
      case 'unreachable':
        await recordNotSent(database, message, { longestSeconds: LONGEST_PAUSE_SECONDS });
        log.warn({ ...fields, err: sent.error }, 'channel takes no messages; tried again later');
        this.#pause();
    }
  }

  /** Messages that fail together make one pause. */
  #pause(): void {
    if (performance.now() < this.#pausedUntilMs) return;
    this.#pausedUntilMs = performance.now() + this.#pauseMs;
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_SECONDS * 1_000);
  }
}
