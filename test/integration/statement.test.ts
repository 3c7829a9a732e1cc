import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { openDatabase, type Database } from '../../shared/db/database.ts';
import { openQueuePool } from '../../shared/db/queue-pool.ts';
import { preparedStatement, queryRow, queryRows } from '../../shared/db/statement.ts';

const STATEMENT = preparedStatement('select :number::int + 1 as next_number');
const PREPARED = 'select name from pg_prepared_statements';

let database: Database;

beforeEach(() => {
  database = openDatabase({ url: inject('postgresUrl'), poolSize: 1 });
});

afterEach(() => database.destroy());

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
