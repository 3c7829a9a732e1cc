import { LRUCache } from 'lru-cache';
import { disableWebhook, recordAttempts } from '../shared/db/webhooks/attempts.ts';
import {
  claimDeliveries,
  findDueWebhooks,
  makeDeliveries,
  type ChangeAreas,
  type Delivery,
  type DueWebhook,
} from '../shared/db/webhooks/deliveries.ts';
import type { WebhookDisabledReason } from '../shared/db/webhooks/models.ts';
import { NoSlotError, type FairSlots, type FreeSlots } from '../shared/limits/fair-slots.ts';
import { currentSpan } from '../shared/telemetry/current-span.ts';
import { sendWebhook, type Sender, type SentAttempt } from './send-webhook.ts';
import type { WorkerContext } from './worker-context.ts';
import { atMost } from '../shared/limits/at-most.ts';

/** The worker's context, and what only deliveries need. */
export interface WebhookContext extends WorkerContext, Omit<Sender, 'signers'> {
  /** Of calls of webhooks. */
  readonly webhookSlots: FairSlots;
  readonly changeAreas: ChangeAreas;
}

/** Calls of one webhook at once: a receiver is not flooded, and a slow one keeps few slots. */
const CALLS_AT_ONCE = 16;
/** Webhooks that share the statements of a pass. */
const WEBHOOKS_PER_PASS = 200;
const REMEMBERED_SIGNERS = 1_000;

/** A call that has ended. */
interface EndedCall {
  readonly webhook: DueWebhook;
  readonly attempt: SentAttempt;
}

/** A webhook, and the slots for its next calls. */
interface Share {
  readonly webhook: DueWebhook;
  readonly slots: FreeSlots[];
}

/**
 * Delivers what is due, in passes: one pass claims the deliveries of many webhooks with the same few statements, starts
 * their calls and waits for none of them, so a receiver that is slow delays nobody else. A worker that dies between an
 * answer and its record leaves the delivery claimed; when the claim ends, it is sent again with the same ID.
 */
export class WebhookDeliveries {
  readonly #context: WebhookContext;
  readonly #sender: Sender;
  readonly #stopping: AbortSignal;
  readonly #waiting = new Set<string>();
  #passes: Promise<void> | null = null;
  readonly #calls = new Set<Promise<void>>();
  /** The number of a webhook's calls that run. */
  readonly #callsOf = new Map<string, number>();
  #ended: EndedCall[] = [];
  #recording: Promise<void> | null = null;

  /** @param stopping where it is aborted, no more calls start */
  constructor(context: WebhookContext, stopping: AbortSignal) {
    const { outbound, encryptionKeys } = context;
    this.#context = context;
    this.#sender = { outbound, encryptionKeys, signers: new LRUCache({ ...atMost(REMEMBERED_SIGNERS) }) };
    this.#stopping = stopping;
  }

  /** Resolves when the calls that are due have started, as many as there are slots. */
  async deliver(webhookIds: readonly string[]): Promise<void> {
    for (const id of webhookIds) this.#waiting.add(id);
    this.#passes ??= this.#runPasses().finally(() => (this.#passes = null));
    return this.#passes;
  }

  /** Waits for the calls that run, and for the record of how they ended. */
  async allEnded(): Promise<void> {
    await this.#passes?.catch(() => undefined);
    await Promise.all(this.#calls);
  }

  /** One pass after the other: what comes meanwhile is in the next one. */
  async #runPasses(): Promise<void> {
    while (this.#waiting.size > 0 && !this.#stopping.aborted) {
      const ids = [...this.#waiting].slice(0, WEBHOOKS_PER_PASS);
      for (const id of ids) this.#waiting.delete(id);
      await this.#pass(ids);
    }
  }

  async #pass(ids: readonly string[]): Promise<void> {
    // A crash of the database may lose what these write: then it is claimed and delivered again.
    const { asyncCommitDatabase: database, changeAreas } = this.#context;
    await makeDeliveries(database, ids);
    const due = await findDueWebhooks(database, ids, CALLS_AT_ONCE);
    if (due.length === 0) return;
    const shares = new Map(due.map((webhook) => [webhook.id, this.#takeSlots(webhook)]));
    try {
      const sizes = [...shares].map(([id, { slots }]) => ({ id, size: slots.length }));
      const claimed = await claimDeliveries(database, sizes, changeAreas);
      for (const delivery of claimed) this.#start(delivery, shares.get(delivery.webhookId));
    } finally {
      for (const { slots } of shares.values()) for (const free of slots) free();
    }
  }

  /** Slots that are free now: a vendor whose receivers are all slow leaves those of others. */
  #takeSlots(webhook: DueWebhook): Share {
    const slots: FreeSlots[] = [];
    const most = Math.min(webhook.due, CALLS_AT_ONCE - (this.#callsOf.get(webhook.id) ?? 0));
    try {
      while (slots.length < most) slots.push(this.#context.webhookSlots.takeNow(webhook.organizationId));
    } catch (error) {
      if (!(error instanceof NoSlotError)) throw error;
    }
    return { webhook, slots };
  }

  /** Starts a call with a slot of the webhook's share. */
  #start(delivery: Delivery, share: Share | undefined): void {
    const free = share?.slots.pop();
    if (share === undefined || free === undefined)
      throw new Error('more deliveries were claimed than asked for');
    const { webhook } = share;
    this.#count(webhook.id, 1);
    const call = this.#send(webhook, delivery)
      .finally(() => {
        free();
        this.#count(webhook.id, -1);
      })
      .then((attempt) => this.#record({ webhook, attempt }))
      .catch((error: unknown) =>
        this.#context.log.error({ err: error, webhookId: webhook.id }, 'delivery of a webhook failed'),
      )
      .finally(() => this.#calls.delete(call));
    this.#calls.add(call);
  }

  #count(webhookId: string, calls: number): void {
    const running = (this.#callsOf.get(webhookId) ?? 0) + calls;
    if (running === 0) this.#callsOf.delete(webhookId);
    else this.#callsOf.set(webhookId, running);
  }

  async #send(webhook: DueWebhook, delivery: Delivery): Promise<SentAttempt> {
    const { metrics } = this.#context;
    const { change, attempts } = delivery;
    if (attempts === 1 && change !== null)
      metrics.webhookDelaySeconds.observe(Math.max(0, Date.now() - change.at.getTime()) / 1_000);
    const attempt = await sendWebhook(this.#sender, webhook, delivery);
    metrics.webhookAttempts.inc({ result: resultOf(attempt) });
    return attempt;
  }

  /** What ends while attempts are recorded is recorded together, with one statement. */
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
    this.#deliverMore([...webhooks.values()]);
  }

  /** The deliveries for which there was no slot. */
  #deliverMore(webhooks: readonly DueWebhook[]): void {
    const ids = webhooks.filter(({ due }) => due === CALLS_AT_ONCE).map(({ id }) => id);
    if (ids.length === 0) return;
    this.deliver(ids).catch((error: unknown) => {
      // Whoever looks for work finds them again.
      this.#context.log.warn({ err: error }, 'deliveries not continued');
    });
  }

  async #disable(webhook: DueWebhook, reason: WebhookDisabledReason): Promise<void> {
    const { organizationId, moduleId, id } = webhook;
    const key = { organizationId, moduleId, id };
    await disableWebhook(this.#context.database, key, reason, currentSpan().traceId);
    this.#context.log.info({ webhookId: id, reason }, 'webhook disabled');
  }
}

function resultOf({ retrySeconds, status }: SentAttempt): 'delivered' | 'refused' | 'unanswered' {
  if (retrySeconds === null) return 'delivered';
  return status === null ? 'unanswered' : 'refused';
}
