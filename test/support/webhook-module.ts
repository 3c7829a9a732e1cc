import { randomUUID } from 'node:crypto';
import { recordChange, type Change } from '../../shared/db/changes/record-changes.ts';
import { sequenceChanges } from '../../shared/db/changes/change-sequencer.ts';
import { importSample } from './import-sample.ts';
import type { TestApp, TestOrganization } from './test-app.ts';

/** The settings with which webhooks may call this machine. */
export const LOOPBACK_WEBHOOKS = { OUTBOUND_ALLOW_LOOPBACK: '1' };

/** A webhook of a module of its own. */
export interface TestWebhook {
  readonly moduleId: string;
  readonly id: string;
  readonly secret: string;
  readonly publicKey: string;
  /** The path of the webhook, for calls as the vendor. */
  readonly path: string;
}

/** Registers a webhook of a new module. */
export async function makeWebhook(
  app: TestApp,
  vendor: TestOrganization,
  url: string,
  settings: object = {},
  moduleId?: string,
): Promise<TestWebhook> {
  const module = moduleId ?? (await importSample(app, vendor));
  // The changes that the import made come before those that the webhook gets.
  await sequenceChanges(app.api.database);
  const answer = await app.as(vendor).post(`/webhooks/${module}`, { url, ...settings });
  if (answer.status !== 201) throw new Error(answer.text);
  const { id, secret, publicKey } = answer.body as TestWebhook;
  return { moduleId: module, id, secret, publicKey, path: `/webhooks/${module}/${id}` };
}

/** The subject of a change with 100 KB. */
export const LONG_SUBJECT = {
  acceptedDataAreaIds: Array.from({ length: 2_500 }, () => randomUUID()),
};

/** Records changes of a module, one after the other, as other calls do. */
export async function makeChanges(
  app: TestApp,
  moduleId: string,
  count: number,
  change: Partial<Change> = {},
): Promise<void> {
  for (let number = 0; number < count; number += 1)
    await recordChange(app.api.database, {
      type: 'installation.changed',
      moduleId,
      subject: { revision: number },
      ...change,
    });
}
