import { Socket } from 'node:net';
import pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import { sessionOptions } from '../../shared/db/session-options.ts';
import { writeStructures } from '../../shared/db/structures/write-structures.ts';
import { FIXTURE_ACTOR } from '../support/fixture-actor.ts';
import { serviceTest } from '../support/service-test.ts';
import { openAnswerLosingProxy } from '../support/lost-answers.ts';
import { cloneDatabase, overTcp, startTestApp } from '../support/test-app.ts';

const test = serviceTest({ worker: false });
const IDLE = 'idle_in_transaction_session_timeout';

test('the locks of a process are released if its host disappears in the middle of a transaction', async ({
  app,
}) => {
  const { id } = await app.organization();
  const { database } = app.api;
  const silent = await database.transaction();
  const { rows } = await silent.raw<{ rows: unknown[] }>(`select current_setting('${IDLE}') as idle`);
  expect(rows).toEqual([{ idle: '10s' }]);
  onTestFinished(async () => {
    await silent.rollback().catch(() => undefined);
  });
  await silent('organizations').where({ id }).forUpdate().select('id');
  // Now as if most of this time had passed.
  await silent.raw(`set local ${IDLE} = 100`);
  const change = async () =>
    database('organizations')
      .where({ id })
      .update({ name: 'Changed' })
      .catch(() => 'still locked');
  await expect.poll(change).toBe(1);
  await expect(silent('organizations').where({ id }).update({ name: 'Late' })).rejects.toThrow();
  expect(await database('organizations').where({ id }).select('name')).toEqual([{ name: 'Changed' }]);
});

/** More than the buffers of both ends hold. */
const LONG_ANSWER = "select repeat('x', 1000000) from generate_series(1, 400)";

// PostgreSQL has this limit where the system has it.
test.runIf(process.platform === 'linux')(
  'the locks of a process are released if its host disappears while the database sends it an answer',
  async ({ app }) => {
    const { id } = await app.organization();
    const socket = new Socket();
    const silent = new pg.Client({
      connectionString: overTcp(app.environment['DATABASE_URL'] ?? ''),
      options: sessionOptions(),
      stream: () => socket,
    });
    silent.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    await silent.connect();
    const { rows } = await silent.query("select current_setting('tcp_user_timeout') as longest");
    expect(rows).toEqual([{ longest: '25000' }]);
    // Now as if most of this time had passed.
    await silent.query('set tcp_user_timeout = 100; begin');
    await silent.query('select id from organizations where id = $1 for update', [id]);
    const answer = silent.query(LONG_ANSWER).catch(() => 'no answer');
    socket.pause();
    const change = async () =>
      app.api
        .database('organizations')
        .where({ id })
        .update({ name: 'Changed' })
        .catch(() => 'still locked');
    await expect.poll(change).toBe(1);
    socket.resume();
    expect(await answer).toBe('no answer');
  },
);

test('a process goes on with other connections if the host of the database disappears', async () => {
  const url = overTcp(await cloneDatabase());
  const proxy = await openAnswerLosingProxy(url);
  const settings = { DATABASE_URL: proxy.through(url), DATABASE_LISTEN_URL: url };
  const app = await startTestApp({ worker: false, settings, config: { database: { statementSeconds: 1 } } });
  onTestFinished(() => app.stop());
  const vendor = await app.organization();
  const read = async () => (await app.as(vendor).get('/imports')).status;
  const atOnce = async () => Promise.all(Array.from({ length: 4 * app.config.database.poolSize }, read));
  expect(new Set(await atOnce())).toEqual(new Set([200]));
  proxy.silence();
  // Requests on each connection; those that wait for one may have a new one.
  expect(await atOnce()).toContain(503);
  expect(await read()).toBe(200);
});

test('a write of structures may be idle for as long as a thread works on its body', async ({ app }) => {
  const farmer = await app.organization();
  const settings: unknown[] = [];
  await writeStructures(
    app.api.database,
    farmer.id,
    () => Promise.resolve(null),
    { ...FIXTURE_ACTOR, max: 0 },
    async (transaction) => {
      const { rows } = await transaction.raw<{ rows: unknown[] }>(
        `select current_setting('${IDLE}') as idle`,
      );
      settings.push(...rows);
    },
  );
  expect(settings).toEqual([{ idle: '90s' }]);
});
