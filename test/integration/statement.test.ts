import net, { type AddressInfo } from 'node:net';
import { beforeEach, expect, inject, onTestFinished, test, vi } from 'vitest';
import { openDatabase, type Database } from '../../shared/db/database.ts';
import { openQueuePool } from '../../shared/db/queue-pool.ts';
import { preparedStatement, queryRow, queryRows, queryTogether } from '../../shared/db/statement.ts';
import { holdTransaction } from '../support/held-lock.ts';

const STATEMENT = preparedStatement('select :number::int + 1 as next_number');
const PREPARED = 'select name from pg_prepared_statements';

let database: Database;

beforeEach(() => {
  database = openDatabase({ url: inject('postgresUrl'), poolSize: 1 });
  // What a test registers later runs before it: its transactions end before their pool.
  onTestFinished(() => database.destroy());
});

const run = (number: number) => queryRows<{ nextNumber: number }>(database, STATEMENT, { number });

async function preparedNames(): Promise<string[]> {
  const { rows } = await database.raw<{ rows: { name: string }[] }>(PREPARED);
  return rows.map(({ name }) => name);
}

test('a connection prepares a statement once, by name', async () => {
  expect(await run(1)).toEqual([{ nextNumber: 2 }]);
  expect(await run(2)).toEqual([{ nextNumber: 3 }]);
  expect(await preparedNames()).toEqual([STATEMENT.name]);
});

test('a connection of the queue prepares a statement once', async () => {
  const pool = openQueuePool(inject('postgresUrl'), 1);
  const text = 'select $1::int as number';
  for (const number of [1, 2]) expect((await pool.query(text, [number])).rows).toEqual([{ number }]);
  const prepared = await pool.query(`${PREPARED} where statement = $1`, [text]);
  expect(prepared.rows).toHaveLength(1);
  await pool.end();
});

test('different texts have different names', () =>
  expect(preparedStatement('select 1').name).not.toBe(preparedStatement('select 2').name));

test('a pooler may change the server connection: the statement does not exist there', async () => {
  await run(1);
  await database.raw('deallocate all');
  expect(await run(2)).toEqual([{ nextNumber: 3 }]);
  expect(await run(3)).toEqual([{ nextNumber: 4 }]);
  expect(await preparedNames()).toEqual([]);
});

test('a pooler may change the server connection: the statement already exists there', async () => {
  await database.raw(`prepare "${STATEMENT.name}" (int) as select 0 as next_number`);
  expect(await run(1)).toEqual([{ nextNumber: 2 }]);
  expect(await run(2)).toEqual([{ nextNumber: 3 }]);
});

test('a table that a migration has given another column is read on connections that prepared the statement', async () => {
  await database.raw('create temporary table widened (a int)');
  const read = preparedStatement('select * from widened');
  await queryRows(database, read);
  await database.raw('alter table widened add b int');
  await database.raw('insert into widened values (1, 2)');
  expect(await queryRows(database, read)).toEqual([{ a: 1, b: 2 }]);
});

test('a transaction prepares a statement once, by name, for the connection', async () => {
  for (const number of [1, 2])
    await database.transaction(async (transaction) => {
      expect(await queryRows(transaction, STATEMENT, { number })).toEqual([{ nextNumber: number + 1 }]);
    });
  expect(await preparedNames()).toEqual([STATEMENT.name]);
});

test('behind a pooler a transaction sends statements in full: it changes the session between transactions', async () => {
  const pooler = await openProxy(inject('postgresUrl'), hideProcess);
  const through = openDatabase({ url: pooler.url, poolSize: 1 });
  onTestFinished(() => through.destroy());
  const next = async (number: number) =>
    through.transaction(async (transaction) => queryRows(transaction, STATEMENT, { number }));
  expect(await next(1)).toEqual([{ nextNumber: 2 }]);
  expect((await through.raw<{ rows: unknown[] }>(PREPARED)).rows).toEqual([]);
});

test('a transaction whose statement has other columns since it was prepared fails once, and the next one does not', async () => {
  await database.raw('create temporary table widened (a int)');
  const read = preparedStatement('select * from widened');
  const inTransaction = async () => database.transaction(async (transaction) => queryRows(transaction, read));
  await inTransaction();
  await database.raw('alter table widened add b int');
  await expect(inTransaction()).rejects.toThrow('cached plan must not change result type');
  expect(await inTransaction()).toEqual([]);
});

test('another error of the database is thrown, and the connection returns to the pool', async () => {
  const division = preparedStatement('select 1 / :divisor::int as result');
  await expect(queryRows(database, division, { divisor: 0 })).rejects.toThrow('division by zero');
  expect(await queryRows(database, division, { divisor: 1 })).toEqual([{ result: 1 }]);
});

test.each([
  ['prepared', preparedStatement],
  ['sent in full', (sql: string) => sql],
])('parameters are named, and columns get camelCase names: %s', async (_how, statementOf) => {
  const sql =
    'select :first::int - :second::int as first_member, :first::text as "second", :ids::int[] as ids';
  const values = { first: 5, second: 2, ids: [3, 4], another: 'not in the statement' };
  expect(await queryRow(database, statementOf(sql), values)).toEqual({
    firstMember: 3,
    second: '5',
    ids: [3, 4],
  });
});

test('a parameter without a value is refused', async () => {
  await expect(queryRows(database, STATEMENT, { numbre: 1 })).rejects.toThrow('no value for number');
});

const COUNTED = 'select number, transaction from counted';

/** Records its transaction. */
const behind = {
  statement: preparedStatement('insert into counted select :number::int, txid_current()'),
  values: { number: 7 },
  onDone: () => undefined,
};

test.each([
  ['ends', 1, null],
  ['is refused', 0, 'division by zero'],
])(
  'a statement that is sent behind another runs in a transaction of its own where that one %s',
  async (_how, divisor, refusal) => {
    await database.raw('create temporary table counted (number int, transaction bigint)');
    const first = preparedStatement(
      'with own as (select txid_current() as own) select own::int / :divisor::int as own, :lockLimit::text as limited from own',
    );
    for (let times = 1; times <= 2; times += 1) {
      const rows = queryTogether<{ own: number }>(database, first, { divisor }, 1, behind);
      const [row] = refusal === null ? await rows : [];
      if (refusal !== null) await expect(rows).rejects.toThrow(refusal);
      const counted = await queryRows<{ number: number; transaction: number }>(database, COUNTED);
      expect(counted.map(({ number }) => number)).toEqual(Array.from({ length: times }, () => 7));
      expect(counted.map(({ transaction }) => transaction)).not.toContain(row?.own);
    }
  },
);

test('a statement that is refused behind another changes nothing for that one', async () => {
  const onDone = vi.fn();
  const refused = { statement: preparedStatement('select 1 / :zero::int'), values: { zero: 0 }, onDone };
  const first = preparedStatement('select :number::int as number, :lockLimit::text as limited');
  expect(await queryTogether(database, first, { number: 1 }, 1, refused)).toMatchObject([{ number: 1 }]);
  expect(onDone).not.toHaveBeenCalled();
  expect(await run(1)).toEqual([{ nextNumber: 2 }]);
});

test('a statement that is sent behind another one does not wait for its answer', async () => {
  const proxy = await openProxy(inject('postgresUrl'));
  const through = openDatabase({ url: proxy.url, poolSize: 1 });
  onTestFinished(() => through.destroy());
  const holder = await holdTransaction(database);
  await holder.raw('select pg_advisory_xact_lock(11)');
  const waiting = preparedStatement('select pg_advisory_xact_lock(11), :lockLimit::text as limited');
  const answer = queryTogether(through, waiting, {}, 1, {
    statement: preparedStatement("select 'sent behind'"),
    values: {},
    onDone: () => undefined,
  });
  await vi.waitFor(() => expect(proxy.sent()).toContain("select 'sent behind'"), 10_000);
  await holder.rollback();
  expect(await answer).toHaveLength(1);
});

/** A proxy of PostgreSQL that records what the client sends, until the test ends. */
async function openProxy(target: string, change: (answer: Buffer) => Buffer = (answer) => answer) {
  const { port, hostname } = new URL(target);
  const sent: string[] = [];
  const server = net.createServer((client) => {
    const onward = net.connect(Number(port), hostname);
    client.on('data', (bytes) => sent.push(bytes.toString('latin1')));
    client.pipe(onward);
    onward.on('data', (answer) => client.write(change(answer))).on('close', () => client.destroy());
    for (const each of [client, onward]) each.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = new URL(target);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: url.href, sent: () => sent.join('') };
}

/** BackendKeyData (PostgreSQL 55.7) names the session's process: a pooler names none that PostgreSQL has. */
function hideProcess(answer: Buffer): Buffer {
  const at = answer.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]));
  if (at !== -1) answer.writeInt32BE(answer.readInt32BE(at + 5) + 1_000_000, at + 5);
  return answer;
}
