import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, onTestFinished, vi } from 'vitest';
import { ProblemError } from '../../api/http/problem.ts';
import { ImportWaiter } from '../../api/imports/import-waiter.ts';
import { successOf } from '../../api/imports/import.ts';
import { openDatabase } from '../../shared/db/database.ts';
import { endIn, findImport, IMPORTS_CHANNEL, type EndedImport } from '../../shared/db/imports/imports.ts';
import { ImportModel, type ImportRow, type ImportStatus } from '../../shared/db/imports/models.ts';
import { Notifier } from '../../shared/db/notifications.ts';
import { importModule } from '../../worker/import/import-module.ts';
import { contextOf, openActor, storeImport } from '../support/import-actors.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp } from '../support/test-app.ts';

const test = serviceTest({ worker: false });

/** What a notification of an import contains, and the row at that time. */
interface Notified {
  readonly message: string;
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
    notified.push(
      findImport(app.api.database, null, importId).then((row) => ({ message: payload, end, row })),
    );
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

/** The answer to an upload whose import ended so. */
function answerTo(end: EndedImport): string {
  try {
    return JSON.stringify(successOf(end));
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return JSON.stringify([error, error.message]);
  }
}

test.for([
  ['a new module', {}],
  ['a rejected package', { scope: 'no scope', moduleVersion: -1 }],
] as const)(
  'the notification of an end gives the same answer as the row: %s',
  async ([, descriptor], { app, vendor }) => {
    const { importId } = await storeImport(app, vendor, descriptor);
    const listener = await listen(app, importId);
    await run(app, importId);
    const { end, row } = (await listener.notified())[0]!;
    expect(answerTo(end!)).toBe(answerTo(row!));
  },
);

/** Ends an import in its row with this error, and notifies of it; what was notified. */
async function endWith(app: TestApp, importId: string, status: ImportStatus, detail: string) {
  const listener = await listen(app, importId);
  const errors = [{ code: 'import-failed', detail, severity: 'error' }] as const;
  await ImportModel.query(app.api.database)
    .findById(importId)
    .patch({ status, errors: [...errors] });
  const notifier = new Notifier(app.api.database, IMPORTS_CHANNEL, app.api.log);
  notifier.changed(importId);
  await notifier.close();
  return (await listener.notified())[0];
}

test('an end of 7,999 bytes is in its notification, of a longer one the ID alone', async ({
  app,
  vendor,
}) => {
  const { importId } = await storeImport(app, vendor);
  const shortest = await endWith(app, importId, 'rejected', 'é');
  const rest = 'x'.repeat(7_999 - Buffer.byteLength(shortest?.message ?? ''));
  expect(await endWith(app, importId, 'rejected', `é${rest}`)).toMatchObject({ end: { id: importId } });
  expect(await endWith(app, importId, 'rejected', `é${rest}x`)).toMatchObject({ message: importId });
});

test('a failure is notified by the ID of its import, which an operator may have tried again meanwhile', async ({
  app,
  vendor,
}) => {
  const { importId } = await storeImport(app, vendor);
  expect(await endWith(app, importId, 'failed', 'lost')).toMatchObject({ message: importId });
});

test('who waits for an end has that of the notification without a read, and who watches versions has the row', async ({
  app,
  vendor,
}) => {
  const { importId } = await storeImport(app, vendor);
  const { log } = app.api;
  const closed = openDatabase({ url: app.environment['DATABASE_URL'] ?? '', poolSize: 1 });
  await closed.destroy();
  const waiters = [new ImportWaiter(closed, log), new ImportWaiter(app.api.database, log)] as const;
  onTestFinished(() => {
    for (const waiter of waiters) waiter.close();
  });
  const { signal } = new AbortController();
  const ends = waiters.map(async (waiter) => waiter.ended(importId, 60_000, signal));
  const changed = waiters[1].changed(importId, 1, signal);
  const { message } = (await endWith(app, importId, 'rejected', 'x'))!;
  await ImportModel.query(app.api.database).findById(importId).patch({ version: 2 });
  for (const waiter of waiters) waiter.notified(message);
  expect(await Promise.all(ends)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  expect(await changed).toMatchObject({ status: 'rejected', version: 2 });
});

test('a stream that is opened while others are read is not given an earlier version than it has', async ({
  app,
  vendor,
}) => {
  const { importId } = await storeImport(app, vendor);
  const { database, log } = app.api;
  const { version } = (await findImport(database, null, importId))!;
  const waiter = new ImportWaiter(database, log);
  onTestFinished(() => waiter.close());
  const earlier = waiter.watch(importId, version - 1);
  // It reads the rows at once.
  waiter.notified(importId);
  const later = waiter.watch(importId, version + 1);
  expect(await earlier.next(new AbortController().signal)).toMatchObject({ version });
  expect(await later.next(AbortSignal.abort())).toBeNull();
});
