import { LRUCache } from 'lru-cache';
import { setTimeout } from 'node:timers/promises';
import { disableWebhook, recordAttempts } from '../../shared/db/webhooks/attempts.ts';
import { claimDeliveries, type ChangeAreas, type Delivery } from '../../shared/db/webhooks/deliveries.ts';
import { isAnyDeliveryDue, makeDeliveries } from '../../shared/db/webhooks/make-deliveries.ts';
import type { WebhookDisabledReason } from '../../shared/db/webhooks/models.ts';
import type { FairSlots } from '../../shared/limits/fair-slots.ts';
import { currentSpan } from '../../shared/telemetry/current-span.ts';
import { GrowingIntervals } from '../../shared/telemetry/growing-intervals.ts';
import { KeysMissingError, sendWebhook, type Sender, type SentAttempt } from './send-webhook.ts';
import type { WorkerContext } from '../worker-context.ts';
import { atMost } from '../../shared/limits/at-most.ts';

/** The worker's context, with the parts that only deliveries use. */
export interface WebhookContext extends WorkerContext, Omit<Sender, 'signers'> {
  /** For calls of webhooks. */
  readonly webhookSlots: FairSlots;
  readonly changeAreas: ChangeAreas;
}

/** Covers for lost notifications, and finds deliveries that have become due. */
const POLL_MS = 500;
/** Deliveries within this time share the statements of a pass. */
const PASS_MS = 20;
/** Calls of one webhook at once: a receiver is not flooded, and a slow one keeps few slots. */
const CALLS_AT_ONCE = 16;
const REMEMBERED_SIGNERS = 1_000;

/** A call that has ended. */
interface EndedCall {
  readonly webhook: Delivery['webhook'];
  readonly attempt: SentAttempt;
}

/**
 * Delivers what is due, in passes: one pass claims the deliveries of many webhooks with the same few statements, starts
 * their calls and waits for none of them, so a receiver that is slow delays nobody else. A worker that dies between an
 * answer and its record leaves the delivery claimed; when the claim ends, it is sent again with the same ID.
 */
export class WebhookDeliveries {
  readonly #context: WebhookContext;
  readonly #sender: Sender;
  readonly #stopping = new AbortController();
  #waking = new AbortController();
  #passes: Promise<void> | null = null;
  readonly #calls = new Set<Promise<void>>();
  /** The number of a webhook's calls that run. */
  readonly #callsOf = new Map<string, number>();
  #ended: EndedCall[] = [];
  #recording: Promise<void> | null = null;

  constructor(context: WebhookContext) {
    const { outbound, encryptionKeys } = context;
    this.#context = context;
    this.#sender = { outbound, encryptionKeys, signers: new LRUCache(atMost(REMEMBERED_SIGNERS)) };
  }

  /** Delivers from now on. */
  start(): void {
    this.#passes = this.#runPasses();
  }

  /** Something may be due. */
  wake(): void {
    this.#waking.abort();
  }

  /** Starts no more calls, and waits for those that run and for the record of how they ended; false: some still run. */
  async close(maxWaitMs: number): Promise<boolean> {
    this.#stopping.abort();
    this.wake();
    await this.#passes;
    const ended = Promise.all(this.#calls).then(() => true);
    return Promise.race([ended, setTimeout(maxWaitMs, false, { ref: false })]);
  }

  async #runPasses(): Promise<void> {
    const { signal } = this.#stopping;
    const reports = new GrowingIntervals();
    while (!signal.aborted) {
      this.#waking = new AbortController();
      try {
        if (await this.#pass()) this.wake();
      } catch (error) {
        if (reports.isDue()) this.#context.log.error({ err: error }, 'webhook deliveries not claimed');
      }
      await pause(PASS_MS, signal);
      await pause(POLL_MS, this.#waking.signal);
    }
  }

  /** Returns whether more is to be done at once. */
  async #pass(): Promise<boolean> {
    // A crash of the database may lose what these write: then it is claimed and delivered again.
    const { asyncCommitDatabase: database, changeAreas, webhookSlots, config } = this.#context;
    if (!(await isAnyDeliveryDue(database))) return false;
    const hasMore = await makeDeliveries(database);
    const { maxCalls, maxCallsPerOrganization } = config.webhooks;
    const claim = {
      free: maxCalls - webhookSlots.taken(),
      maxOfOrganization: maxCallsPerOrganization,
      maxOfWebhook: CALLS_AT_ONCE,
      ofOrganizations: webhookSlots.takenByEach(),
      ofWebhooks: this.#callsOf,
    };
    if (claim.free === 0) return hasMore;
    const { deliveries, isFound } = await claimDeliveries(database, claim, changeAreas);
    for (const delivery of deliveries) this.#start(delivery);
    return hasMore || isFound;
  }

  /** Starts a call. Only passes take slots, and no claim is for more of them than are free. */
  #start(delivery: Delivery): void {
    const { webhook } = delivery;
    const { webhookSlots, metrics, log } = this.#context;
    const free = webhookSlots.takeNow(webhook.organizationId);
    this.#count(webhook.id, 1);
    const call = this.#send(delivery)
      .finally(() => {
        free();
        this.#count(webhook.id, -1);
      })
      .then((attempt) => this.#record({ webhook, attempt }))
      .catch(async (error: unknown) => {
        if (!(error instanceof KeysMissingError)) throw error;
        metrics.webhookAttempts.inc({ result: 'unsigned' });
        await this.#disable(webhook, 'key-missing');
      })
      .catch((error: unknown) => log.error({ err: error, webhookId: webhook.id }, 'webhook delivery failed'))
      .finally(() => this.#calls.delete(call));
    this.#calls.add(call);
  }

  #count(webhookId: string, calls: number): void {
    const running = (this.#callsOf.get(webhookId) ?? 0) + calls;
    if (running === 0) this.#callsOf.delete(webhookId);
    else this.#callsOf.set(webhookId, running);
  }

  async #send(delivery: Delivery): Promise<SentAttempt> {
    const { metrics } = this.#context;
    const { change, attempts } = delivery;
    if (attempts === 1 && change !== null)
      metrics.webhookDelaySeconds.observe(Math.max(0, Date.now() - change.at.getTime()) / 1_000);
    const attempt = await sendWebhook(this.#sender, delivery);
    metrics.webhookAttempts.inc({ result: resultOf(attempt) });
    return attempt;
  }

  /** Calls that end while attempts are recorded are recorded together, with one statement. */
  async #record(call: EndedCall): Promise<void> {
    this.#ended.push(call);
    while (this.#ended.includes(call)) {
      if (this.#recording !== null) await this.#recording.catch(() => undefined);
      else if (this.#ended.includes(call)) {
        const batch = this.#ended;
        this.#ended = [];
        this.#recording = this.#write(batch).finally(() => (this.#recording = null));
        await this.#recording;
      }
    }
  }

  async #write(calls: readonly EndedCall[]): Promise<void> {
    // A crash of the database may lose what this writes: then it is delivered again.
    const failing = await recordAttempts(
      this.#context.asyncCommitDatabase,
      calls.map(({ attempt }) => attempt),
    );
    const webhooks = new Map(calls.map(({ webhook }) => [webhook.id, webhook]));
    const gone = new Set(calls.flatMap(({ webhook, attempt }) => (attempt.isGone ? [webhook.id] : [])));
    for (const webhook of webhooks.values()) {
      if (gone.has(webhook.id)) await this.#disable(webhook, 'gone');
      else if (failing.includes(webhook.id)) await this.#disable(webhook, 'failing');
    }
    // There may be deliveries for which there was no slot.
    this.wake();
  }

  async #disable(webhook: Delivery['webhook'], reason: WebhookDisabledReason): Promise<void> {
    const { organizationId, moduleId, id, url } = webhook;
    const key = { organizationId, moduleId, id, url };
    const { database, log } = this.#context;
    if (!(await disableWebhook(database, key, reason, currentSpan().traceId))) return;
    const fields = { webhookId: id, reason };
    if (reason === 'key-missing')
      log.error(fields, 'webhook disabled: ENCRYPTION_KEYS does not open its keys');
    else log.info(fields, 'webhook disabled');
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}

function resultOf({ retrySeconds, status }: SentAttempt): 'delivered' | 'refused' | 'unanswered' {
  if (retrySeconds === null) return 'delivered';
  return status === null ? 'unanswered' : 'refused';
}
