import {
  claimMail,
  gatherAlerts,
  recordNotSent,
  recordSent,
  type ClaimedMail,
} from '../../shared/db/notifications/alert-mails.ts';
import { forEachAtOnce } from '../../shared/process/for-each-at-once.ts';
import type { WorkerContext } from '../worker-context.ts';
import { writeMail } from './mail-text.ts';
import { sendMail, type MailServer } from './send-mail.ts';

type MailContext = Pick<WorkerContext, 'database' | 'config' | 'log' | 'metrics'>;

const AT_ONCE = 4;
/** A run claims mails for this long, so that it ends within its lease; the next one goes on. */
const RUN_MS = 10_000;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 300_000;

/**
 * Mails alerts to people. A mail is claimed in the database and then sent: of several workers one sends it, one that
 * stops ends what it sends, and what is lost with a process that is killed in between is not sent again.
 */
export class AlertMails {
  readonly #context: MailContext;
  #isStopped = false;
  /** While the mail server takes no mails, it is tried at growing intervals. */
  #pauseMs = FIRST_PAUSE_MS;
  #pausedUntilMs = 0;

  constructor(context: MailContext) {
    this.#context = context;
  }

  /** Mails what is due. */
  async run(): Promise<void> {
    const { database, config } = this.#context;
    const { mail } = config;
    if (mail === null) return;
    await gatherAlerts(database);
    const endMs = performance.now() + RUN_MS;
    const lanes = Array.from({ length: AT_ONCE }, () => mail);
    const errors = await forEachAtOnce(lanes, AT_ONCE, (server) => this.#sendDue(server, endMs));
    if (errors.length > 0) throw new AggregateError(errors, 'mails about alerts failed');
  }

  /** Claims no more mails; the run ends when those that it sends are sent. */
  stop(): void {
    this.#isStopped = true;
  }

  async #sendDue(server: MailServer, endMs: number): Promise<void> {
    while (!this.#isStopped && performance.now() < endMs && performance.now() >= this.#pausedUntilMs) {
      const mail = await claimMail(this.#context.database);
      if (mail === null) return;
      if (mail !== 'nothing') await this.#send(server, mail);
    }
  }

  async #send(server: MailServer, mail: ClaimedMail): Promise<void> {
    const { database, config, log, metrics } = this.#context;
    const { settingsId, claimId, organizationId, address, alertCount } = mail;
    const origin = config.server.publicUrl ?? '';
    const unsubscribe = `${origin}/notifications/${mail.linkSecret}/unsubscribe`;
    const text = writeMail(mail, { alerts: `${origin}/portal/${organizationId}/alerts`, unsubscribe });
    const sent = await sendMail(server, { ...text, to: address, id: claimId, unsubscribe });
    metrics.mails.inc({ result: sent.result });
    const fields = { settingsId, organizationId, alerts: alertCount };
    if (sent.result === 'sent' || sent.result === 'unknown') {
      await recordSent(database, mail);
      if (sent.result === 'unknown') log.warn(fields, 'mail server has not confirmed a mail; not sent again');
      this.#pauseMs = FIRST_PAUSE_MS;
      return;
    }
    await recordNotSent(database, mail, sent.result === 'bounced' ? sent.status : null);
    if (sent.result === 'bounced') log.info({ ...fields, status: sent.status }, 'mail address refused');
    if (sent.result !== 'unreachable') return;
    log.warn({ ...fields, err: sent.error }, 'mail server takes no mails; tried again later');
    this.#pausedUntilMs = performance.now() + this.#pauseMs;
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
  }
}
