import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, onTestFinished, vi } from 'vitest';
import { findImport } from '../../shared/db/imports/imports.ts';
import { IMPORTS_CHANNEL, type Notifier } from '../../shared/db/notifications.ts';
import { importModule } from '../../worker/import/import-module.ts';
import { contextOf, openActor, storeImport } from '../support/import-actors.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp } from '../support/test-app.ts';

const test = serviceTest({ worker: false });

/** Records each notification of an import, with the status that its row has then. */
async function listen(app: TestApp, importId: string) {
  const client = new pg.Client({ connectionString: app.environment['DATABASE_URL'] });
  await client.connect();
  onTestFinished(() => client.end());
  const statuses: Promise<string | undefined>[] = [];
  client.on('notification', ({ payload = '' }) => {
    if (!payload.split(',').includes(importId)) return;
    statuses.push(findImport(app.api.database, null, importId).then((row) => row?.status));
  });
  await client.query(`listen ${IMPORTS_CHANNEL}`);
  return {
    /** Those until now. */
    async statuses() {
      // It arrives behind all that were sent before.
      await client.query('select 1');
      return Promise.all(statuses);
    },
  };
}

/** Runs the import on a worker, whose notifier may be changed before. */
async function run(app: TestApp, importId: string, change: (notifier: Notifier) => void = () => undefined) {
  const actor = openActor(app);
  onTestFinished(() => actor.database.destroy());
  const context = contextOf(app, actor);
  change(context.notifier);
  await importModule(context, { importId, retries: 0 });
  await context.notifier.close();
}

test('the end of a new module is notified once, by the statement that writes it', async ({ app, vendor }) => {
  const { importId } = await storeImport(app, vendor);
  const listener = await listen(app, importId);
  await run(app, importId);
  expect(await listener.statuses()).toEqual(['succeeded']);
});

test('a notification that is refused behind the statement of a new module is sent by itself', async ({
  app,
  vendor,
}) => {
  const { importId } = await storeImport(app, vendor);
  const listener = await listen(app, importId);
  await run(app, importId, (notifier) => {
    const behind = notifier.behind.bind(notifier);
    vi.spyOn(notifier, 'behind').mockImplementation((ids) => {
      const made = behind(ids);
      // PostgreSQL refuses a message this long.
      return { ...made, values: { ...made.values, message: 'x'.repeat(8_000) } };
    });
  });
  expect(await listener.statuses()).toEqual(['succeeded']);
});

test('the end of an update is notified after its transaction', async ({ app, vendor }) => {
  const moduleId = randomUUID();
  for (const moduleVersion of [1, 2]) {
    const { importId } = await storeImport(app, vendor, { moduleId, moduleVersion });
    const listener = await listen(app, importId);
    await run(app, importId);
    expect(await listener.statuses()).toEqual(['succeeded']);
  }
});

test('a rejection is notified, also where the statement that writes the module has notified and written nothing', async ({
  app,
  vendor,
}) => {
  const { importId } = await storeImport(app, vendor);
  const authority = JSON.stringify({ kind: 'publisher', publisherId: randomUUID() });
  await app.api.database('imports').where({ id: importId }).update({ authority });
  const listener = await listen(app, importId);
  await run(app, importId);
  expect((await listener.statuses()).at(-1)).toBe('rejected');
});
