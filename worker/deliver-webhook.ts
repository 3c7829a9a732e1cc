import { disableWebhook, recordAttempts } from '../shared/db/webhooks/attempts.ts';
import {
  claimDeliveries,
  findEnabledWebhook,
  makeDeliveries,
  parkDeliveries,
} from '../shared/db/webhooks/deliveries.ts';
import type { ChangeAreas, Delivery } from '../shared/db/webhooks/deliveries.ts';
import type { WebhookDisabledReason, WebhookModel } from '../shared/db/models.ts';
import { NoSlotError } from '../shared/limits/fair-slots.ts';
import type { FairSlots, FreeSlots } from '../shared/limits/fair-slots.ts';
import { currentSpan } from '../shared/telemetry/current-span.ts';
import { sendWebhook } from './send-webhook.ts';
import type { Sender, SentAttempt } from './send-webhook.ts';
import type { WorkerContext } from './worker-context.ts';

/** The worker's context, and what only deliveries need. */
export interface WebhookContext extends WorkerContext, Sender {
  /** Of calls of webhooks. */
  readonly webhookSlots: FairSlots;
  readonly changeAreas: ChangeAreas;
}

/** Calls of one webhook at once: a receiver is not flooded, and a slow one keeps few slots. */
const CALLS_AT_ONCE = 16;

/**
 * Delivers what is due for a webhook, until nothing is, or the process stops. A worker that dies between an answer and its
 * record leaves the delivery claimed; when the claim ends, it is sent again with the same ID.
 */
export async function deliverWebhook(
  context: WebhookContext,
  webhookId: string,
  stopping: AbortSignal,
): Promise<void> {
  const run = new WebhookRun(context, webhookId);
  while (!stopping.aborted) {
    const started = await run.startNext();
    if (started > 0) continue;
    if (!run.isRunning()) break;
    await run.oneEnded();
  }
  await run.allEnded();
}

class WebhookRun {
  readonly #context: WebhookContext;
  readonly #webhookId: string;
  readonly #running = new Set<Promise<void>>();
  #ended: SentAttempt[] = [];
  #recording: Promise<void> | null = null;

  constructor(context: WebhookContext, webhookId: string) {
    this.#context = context;
    this.#webhookId = webhookId;
  }

  isRunning(): boolean {
    return this.#running.size > 0;
  }

  async oneEnded(): Promise<void> {
    await Promise.race(this.#running);
  }

  async allEnded(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Starts calls that are due, as many as there are slots; returns their number. */
  async startNext(): Promise<number> {
    const { database } = this.#context;
    const room = CALLS_AT_ONCE - this.#running.size;
    if (room === 0) return 0;
    const webhook = await findEnabledWebhook(database, this.#webhookId);
    if (webhook === null) return 0;
    const slots = this.#takeSlots(webhook.organizationId, room);
    if (slots.length === 0) return 0;
    let claimed: readonly Delivery[] = [];
    try {
      await makeDeliveries(database, webhook.id);
      claimed = await claimDeliveries(database, webhook, this.#context.changeAreas, slots.length);
      if (claimed.length === 0 && webhook.ordered && !this.isRunning())
        await parkDeliveries(database, webhook.id);
    } finally {
      for (const free of slots.slice(claimed.length)) free();
    }
    for (const [index, delivery] of claimed.entries()) this.#start(webhook, delivery, slots[index]);
    return claimed.length;
  }

  /** Slots that are free now: a vendor whose receivers are all slow leaves those of others. */
  #takeSlots(organizationId: string, most: number): readonly FreeSlots[] {
    const slots: FreeSlots[] = [];
    try {
      while (slots.length < most) slots.push(this.#context.webhookSlots.takeNow(organizationId));
    } catch (error) {
      if (!(error instanceof NoSlotError)) throw error;
    }
    return slots;
  }

  #start(webhook: WebhookModel, delivery: Delivery, free: FreeSlots | undefined): void {
    const sent = this.#send(webhook, delivery)
      .finally(free)
      .then((attempt) => this.#record(webhook, attempt))
      .catch((error: unknown) => {
        this.#context.log.error({ err: error, webhookId: webhook.id }, 'delivery of a webhook failed');
      })
      .finally(() => this.#running.delete(sent));
    this.#running.add(sent);
  }

  async #send(webhook: WebhookModel, delivery: Delivery): Promise<SentAttempt> {
    const { metrics } = this.#context;
    const { change, attempts } = delivery;
    if (attempts === 1 && change !== null)
      metrics.webhookDelaySeconds.observe(Math.max(0, Date.now() - change.at.getTime()) / 1_000);
    const attempt = await sendWebhook(this.#context, webhook, delivery);
    metrics.webhookAttempts.inc({ result: resultOf(attempt) });
    return attempt;
  }

  /** What ends while attempts are recorded is recorded together, with one statement. */
  async #record(webhook: WebhookModel, attempt: SentAttempt): Promise<void> {
    this.#ended.push(attempt);
    while (this.#ended.includes(attempt)) {
      if (this.#recording !== null) await this.#recording.catch(() => undefined);
      else if (this.#ended.includes(attempt)) {
        const batch = this.#ended;
        this.#ended = [];
        this.#recording = this.#write(webhook, batch).finally(() => (this.#recording = null));
        await this.#recording;
      }
    }
  }

  async #write(webhook: WebhookModel, attempts: readonly SentAttempt[]): Promise<void> {
    // A crash of the database may lose what this writes: then it is delivered again.
    const isFailing = await recordAttempts(this.#context.asyncCommitDatabase, webhook.id, attempts);
    if (attempts.some(({ isGone }) => isGone)) await this.#disable(webhook, 'gone');
    else if (isFailing) await this.#disable(webhook, 'failing');
  }

  async #disable(webhook: WebhookModel, reason: WebhookDisabledReason): Promise<void> {
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
