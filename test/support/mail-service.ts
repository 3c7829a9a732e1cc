import { expect } from 'vitest';
import type { AlertMessages } from '../../worker/notifications/alert-messages.ts';
import type { WorkerMetrics } from '../../worker/worker-metrics.ts';
import { makeAlertSource, type AlertSource } from './machine-access.ts';
import { startMailServer, type MailServerOfTest, type ReceivedMail } from './mail-server.ts';
import {
  makeNotifiedFarmer,
  openAlertMessages,
  passTime,
  type ChangedSettings,
  type NotifiedFarmer,
} from './notified-farmer.ts';
import { startTestApp, type TestApp } from './test-app.ts';

/** A service that mails alerts to farmers, and its mail server. A test decides when its worker runs. */
export class MailService {
  readonly app: TestApp;
  readonly server: MailServerOfTest;
  readonly source: AlertSource;
  readonly metrics: WorkerMetrics;
  readonly mailer: AlertMessages;

  private constructor(app: TestApp, server: MailServerOfTest, source: AlertSource, metrics: WorkerMetrics) {
    this.app = app;
    this.server = server;
    this.source = source;
    this.metrics = metrics;
    this.mailer = this.newMailer();
  }

  static async start(): Promise<MailService> {
    const server = await startMailServer();
    const app = await startTestApp({
      settings: {
        SMTP_URL: `smtp://127.0.0.1:${server.port}?from=alerts@service.example`,
        PUBLIC_URL: 'https://modules.example.com',
        MAX_REQUESTS_PER_MINUTE_PER_KEY: '0',
      },
      worker: false,
    });
    const worker = await app.startWorker();
    const source = await makeAlertSource(app);
    await worker.stop();
    return new MailService(app, server, source, worker.context.metrics);
  }

  async stop(): Promise<void> {
    await this.app.stop();
    await this.server.stop();
  }

  /** The mails of another worker. */
  newMailer(): AlertMessages {
    return openAlertMessages(this.app, this.metrics);
  }

  /** A farmer with these settings. */
  async notified(settings?: ChangedSettings): Promise<NotifiedFarmer> {
    const farmer = await makeNotifiedFarmer(this.app, this.source);
    const put = await farmer.put(settings);
    expect(put.status, put.text).toBe(200);
    // Positions are a second behind.
    await passTime(this.app, 5);
    return farmer;
  }

  /** Has the worker gather what was raised, and send what is due after this time. */
  async runAfter(seconds: number): Promise<void> {
    await passTime(this.app, 5);
    await this.mailer.run();
    await passTime(this.app, seconds);
    await this.mailer.run();
  }

  mailsTo({ address }: NotifiedFarmer): readonly ReceivedMail[] {
    return this.server.mails.filter(({ to }) => to === address);
  }
}

/** A header of a mail; null: it has none. */
export const header = ({ source }: ReceivedMail, name: string) =>
  new RegExp(`^${name}: (.*)$`, 'im').exec(source)?.[1]?.trim() ?? null;
