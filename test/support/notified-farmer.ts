import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { createLog } from '../../shared/telemetry/log.ts';
import { AlertMessages } from '../../worker/notifications/alert-messages.ts';
import { mailSender } from '../../worker/notifications/mail-sender.ts';
import { pushSender } from '../../worker/notifications/push-sender.ts';
import type { WorkerMetrics } from '../../worker/worker-metrics.ts';
import { install, makeRule, putFarms, sampleAlert, sampleFarm, type AlertSource } from './machine-access.ts';
import type { Answer, TestApp } from './test-app.ts';

/** Settings of which tests change a part. */
export const MAIL_ALL_AT_ONCE = {
  info: { mail: 'immediate', push: 'none' },
  warning: { mail: 'immediate', push: 'none' },
  critical: { mail: 'immediate', push: 'none' },
  quietHours: null,
  language: 'en',
};

/** What a test changes of them: of a severity also one channel alone. */
export type ChangedSettings = Readonly<Record<string, unknown>>;

/** These settings with what a test changes. */
export function settingsWith(changed: ChangedSettings): ChangedSettings {
  const { info, warning, critical } = MAIL_ALL_AT_ONCE;
  const severities = Object.entries({ info, warning, critical }).map(
    ([severity, wish]) => [severity, { ...wish, ...Object(changed[severity]) }] as const,
  );
  return { ...MAIL_ALL_AT_ONCE, ...changed, ...Object.fromEntries(severities) };
}

/** A farmer who is notified of alerts, with a farm and a rule of a module. */
export interface NotifiedFarmer extends AlertSource {
  readonly address: string;
  readonly token: string;
  /** Writes notification settings. */
  put(settings?: ChangedSettings): Promise<Answer>;
  /** Raises alerts, each of its own, in batches. */
  raise(count: number, members?: Readonly<Record<string, unknown>>): Promise<void>;
}

/** Makes a farmer, who has written no settings yet. */
export async function makeNotifiedFarmer(
  app: TestApp,
  { module }: Pick<AlertSource, 'module'>,
  claims: (organizationId: string) => object = (id) => ({
    organizations: [{ id, roles: ['OrganizationMember'] }],
  }),
): Promise<NotifiedFarmer> {
  const farmer = await app.organization({ kind: 'farmer', tenantId: module.vendor.tenantId });
  await install(app, farmer, module.moduleId);
  const farm = sampleFarm();
  await putFarms(app, farmer, [farm]);
  const source = { module, farmer, farm, ruleId: await makeRule(app, farmer, module.moduleId) };
  const address = `fiona-${randomUUID()}@farm.example`;
  const token = await app.bearer({
    subject: `fiona-${farmer.id}`,
    ...claims(farmer.id),
    claims: { email: address, email_verified: true },
  });
  return {
    ...{ ...source, address, token },
    put: (settings = {}) => app.as(farmer, token).put('/notificationSettings', settingsWith(settings)),
    async raise(count, members) {
      for (let left = count; left > 0; left -= 500) {
        const alerts = Array.from({ length: Math.min(left, 500) }, () => sampleAlert(source, members));
        const answer = await app.as(module).post('/AlertsByModuleId', { alerts });
        if (answer.status !== 200) throw new Error(answer.text);
      }
    },
  };
}

/** Deletes a farmer's many alerts at the end of the test: `passTime` would move each of them in the others. */
export function deleteAlertsAfterwards({ api }: TestApp, { farmer }: NotifiedFarmer): void {
  onTestFinished(async () => {
    await api.database('alerts').where({ organizationId: farmer.id }).delete();
  });
}

/** The part of a worker that notifies people. */
export function openAlertMessages({ api, config }: TestApp, metrics: WorkerMetrics): AlertMessages {
  const { database, encryptionKeys } = api;
  const context = { database, encryptionKeys, config, log: createLog('worker', 'silent'), metrics };
  return new AlertMessages(context, [mailSender(context), pushSender(context)]);
}

/** Columns of times, and of objects of times. */
const TIMES: Readonly<
  Record<string, { readonly columns: readonly string[]; readonly objects?: readonly string[] }>
> = {
  alerts: { columns: ['created_at', 'updated_at', 'severity_at'], objects: ['severities'] },
  notification_position: { columns: ['position', 'next_position'], objects: ['running'] },
  notification_recipients: {
    columns: ['immediate_due_at', 'digest_due_at', 'held_until', 'claimed_until', 'sent_at'],
    objects: ['positions', 'starts'],
  },
};

/** Lets time pass: it moves every time of alerts and notifications into the past. */
export async function passTime({ api: { database } }: TestApp, seconds: number): Promise<void> {
  for (const [table, { columns, objects = [] }] of Object.entries(TIMES)) {
    const moved = columns.map((column) => [
      column,
      database.raw(`?? - ? * interval '1 second'`, [column, seconds]),
    ]);
    const earlier = `(select jsonb_object_agg(key, value::timestamptz - ? * interval '1 second') from jsonb_each_text(??))`;
    for (const object of objects) moved.push([object, database.raw(earlier, [seconds, object])]);
    await database(table).update(Object.fromEntries(moved));
  }
}
