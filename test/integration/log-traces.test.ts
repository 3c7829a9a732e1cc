import { randomUUID } from 'node:crypto';
import { TraceFlags } from '@opentelemetry/api';
import { expect, onTestFinished } from 'vitest';
import { ImportWaiter } from '../../api/imports/import-waiter.ts';
import { type Database, openDatabase } from '../../shared/db/database.ts';
import { StructureReader } from '../../shared/db/structures/read-structures.ts';
import { openQueue } from '../../shared/queue/import-queue.ts';
import { withSpan } from '../../shared/telemetry/current-span.ts';
import { recordingLog } from '../support/recording-log.ts';
import { serviceTest } from '../support/service-test.ts';

const test = serviceTest({ worker: false });

const SPAN = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: TraceFlags.NONE };

async function connectionsOf(database: Database): Promise<readonly number[]> {
  const { rows } = await database.raw<{ rows: { pid: number }[] }>(
    'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  return rows.map(({ pid }) => pid);
}

/** Ends the connections that were opened since these, as a restart of the database does. */
async function endConnections(database: Database, earlier: readonly number[]): Promise<void> {
  const opened = (await connectionsOf(database)).filter((pid) => !earlier.includes(pid));
  expect(opened).not.toEqual([]);
  await database.raw('select pg_terminate_backend(pid) from unnest(?::int[]) as pid', [opened]);
}

test('a line that is logged within a request has its trace', () => {
  const { log, lines } = recordingLog();
  withSpan(SPAN, () => log.warn('within'));
  expect(lines).toMatchObject([{ msg: 'within', traceId: SPAN.traceId }]);
});

test('a lost connection of the structure reader is logged without the trace of the request that opened it', async ({
  app,
}) => {
  const { database } = app.api;
  const { log, lines } = recordingLog();
  const reader = new StructureReader(app.environment['DATABASE_URL'] ?? '', log, 5);
  onTestFinished(() => reader.close());
  const earlier = await connectionsOf(database);
  await withSpan(SPAN, async () => {
    for await (const batch of reader.pages({ organizationId: randomUUID(), structures: 0 }, 'nested'))
      expect(batch).toEqual([]);
  });
  await endConnections(database, earlier);
  await expect.poll(() => lines).toMatchObject([{ msg: 'structure reader connection failed' }]);
  expect(lines[0]).not.toHaveProperty('traceId');
});

test('a lost connection of the queue is logged without the trace of the request that opened it', async ({
  app,
}) => {
  const { database } = app.api;
  const { log, lines } = recordingLog();
  const earlier = await connectionsOf(database);
  const databaseUrl = app.environment['DATABASE_URL'] ?? '';
  const queue = await withSpan(SPAN, async () => {
    const opened = openQueue({ redisUrl: null, databaseUrl }, log);
    await opened.countJobs();
    return opened;
  });
  onTestFinished(() => queue.close());
  await endConnections(database, earlier);
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  for (const line of lines) {
    expect(line).toMatchObject({ msg: 'queue connection failed' });
    expect(line).not.toHaveProperty('traceId');
  }
});

test('a failed read of awaited imports is logged without the trace of one of the requests', async ({
  app,
}) => {
  const { log, lines } = recordingLog();
  const closed = openDatabase({ url: app.environment['DATABASE_URL'] ?? '', poolSize: 1 });
  await closed.destroy();
  const waiter = new ImportWaiter(closed, log);
  onTestFinished(() => waiter.close());
  const importId = randomUUID();
  const abort = new AbortController();
  const waiting = withSpan(SPAN, () => waiter.ended(importId, 60_000, abort.signal));
  withSpan(SPAN, () => waiter.wake([importId]));
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  abort.abort();
  expect(await waiting).toBeNull();
  for (const line of lines) {
    expect(line).toMatchObject({ msg: 'awaited imports not read' });
    expect(line).not.toHaveProperty('traceId');
  }
});
