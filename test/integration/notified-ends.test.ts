import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, onTestFinished, vi } from 'vitest';
import { successOf } from '../../api/imports/import.ts';
import { endIn, findImport, IMPORTS_CHANNEL, type EndedImport } from '../../shared/db/imports/imports.ts';
import type { ImportRow } from '../../shared/db/imports/models.ts';
import { Notifier } from '../../shared/db/notifications.ts';
import { importModule } from '../../worker/import/import-module.ts';
import { contextOf, openActor, storeImport } from '../support/import-actors.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp } from '../support/test-app.ts';

const test = serviceTest({ worker: false });

/** What a notification of an import contains, and the row at that time. */
interface Notified {
  readonly end: EndedImport | null;
  readonly row: ImportRow | null;
}

const SUCCEEDED = { end: { status: 'succeeded' }, row: { status: 'succeeded' } };

/** Records each notification of an import. */
async function listen(app: TestApp, importId: string) {
  const client = new pg.Client({ connectionString: app.environment['DATABASE_URL'] });
  await client.connect();
  onTestFinished(() => client.end());
  const notified: Promise<Notified>[] = [];
  client.on('notification', ({ payload = '' }) => {
    const end = endIn(payload);
    if ((end?.id ?? payload) !== importId) return;
    notified.push(findImport(app.api.database, null, importId).then((row) => ({ end, row })));
  });
  await client.query(`listen ${IMPORTS_CHANNEL.name}`);
  return {
    /** Those until now. */
    async notified() {
      // It arrives behind all that were sent before.
      await client.query('select 1');
      return Promise.all(notified);
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
  expect(await listener.notified()).toMatchObject([SUCCEEDED]);
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
      // PostgreSQL refuses it.
      return { ...made, values: { ids: ['not an ID'] } };
    });
  });
  expect(await listener.notified()).toMatchObject([SUCCEEDED]);
});

test('the end of an update is notified after its transaction', async ({ app, vendor }) => {
  const moduleId = randomUUID();
  for (const moduleVersion of [1, 2]) {
    const { importId } = await storeImport(app, vendor, { moduleId, moduleVersion });
    const listener = await listen(app, importId);
    await run(app, importId);
    expect(await listener.notified()).toMatchObject([SUCCEEDED]);
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
  expect((await listener.notified()).at(-1)).toMatchObject({
    end: { status: 'rejected' },
    row: { status: 'rejected' },
  });
});

test('the notification of an end contains the columns of the row that the answer to the upload needs', async ({
  app,
  vendor,
}) => {
  const { importId } = await storeImport(app, vendor);
  const listener = await listen(app, importId);
  await run(app, importId);
  const [{ end, row } = { end: null, row: null }] = await listener.notified();
  expect(row).toMatchObject({ ...end });
  expect(successOf(end!)).toEqual(successOf(row!));
});

test('an end that does not fit in a notification is notified by the ID of its import, and read', async ({
  app,
  vendor,
}) => {
  const { importId } = await storeImport(app, vendor);
  const ended = app.api.imports.waiter.ended(importId, 60_000, new AbortController().signal);
  const detail = 'x'.repeat(8_000);
  const problem = { code: 'import-failed', detail, severity: 'error' };
  await app.api
    .database('imports')
    .where({ id: importId })
    .update({ status: 'failed', errors: JSON.stringify([problem]) });
  const listener = await listen(app, importId);
  const notifier = new Notifier(app.api.database, IMPORTS_CHANNEL, app.api.log);
  notifier.changed(importId);
  expect(await ended).toMatchObject({ id: importId, status: 'failed', errors: [{ detail }] });
  await notifier.close();
  expect(await listener.notified()).toMatchObject([{ end: null, row: { status: 'failed' } }]);
});
