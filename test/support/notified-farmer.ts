import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { createLog } from '../../shared/telemetry/log.ts';
import { AlertMails } from '../../worker/notifications/mail-alerts.ts';
import type { WorkerMetrics } from '../../worker/worker-metrics.ts';
import { install, makeRule, putFarms, sampleAlert, sampleFarm, type AlertSource } from './machine-access.ts';
import type { Answer, TestApp } from './test-app.ts';

/** Settings of which tests change a part. */
export const MAIL_ALL_AT_ONCE = {
  info: { mail: 'immediate' },
  warning: { mail: 'immediate' },
  critical: { mail: 'immediate' },
  quietHours: null,
  language: 'en',
};

/** A farmer who is mailed alerts, with a farm and a rule of a module. */
export interface NotifiedFarmer extends AlertSource {
  readonly address: string;
  readonly token: string;
  /** Writes notification settings. */
  put(settings?: object): Promise<Answer>;
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
    put: (settings = {}) =>
      app.as(farmer, token).put('/notificationSettings', { ...MAIL_ALL_AT_ONCE, ...settings }),
    async raise(count, members) {
      for (let left = count; left > 0; left -= 500) {
        const alerts = Array.from({ length: Math.min(left, 500) }, () => sampleAlert(source, members));
        const answer = await app.as(module).post('/AlertsByModuleId', { alerts });
        if (answer.status !== 200) throw new Error(answer.text);
      }
    },
  };
}

/** The part of a worker that mails alerts. */
export function openAlertMails({ api, config }: TestApp, metrics: WorkerMetrics): AlertMails {
  return new AlertMails({ database: api.database, config, log: createLog('worker', 'silent'), metrics });
}

const TIMES = {
  alerts: ['created_at', 'updated_at', 'severity_at'],
  notification_position: ['position'],
  notification_settings: [
    ...['info_after', 'warning_after', 'critical_after', 'immediate_due_at', 'digest_due_at'],
    ...['held_until', 'claimed_until', 'mailed_at'],
  ],
};

/** Lets time pass: it moves every time of alerts and notifications into the past. */
export async function passTime({ api }: TestApp, seconds: number): Promise<void> {
  const { database } = api;
  for (const [table, columns] of Object.entries(TIMES)) {
    const earlier = (column: string): [string, Knex.Raw] => [
      column,
      database.raw(`?? - ? * interval '1 second'`, [column, seconds]),
    ];
    await database(table).update(Object.fromEntries(columns.map(earlier)));
  }
  await database.raw(
    `update alerts set severities = (
       select jsonb_object_agg(key, value::timestamptz - :seconds * interval '1 second') from jsonb_each_text(severities))
     where severities is not null`,
    { seconds },
  );
}
