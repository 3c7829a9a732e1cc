import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { openDatabase, type Database } from '../../shared/db/database.ts';
import { preparedStatement, runPrepared } from '../../shared/db/prepared-statement.ts';

const STATEMENT = preparedStatement('select $1::int + 1 as "nextNumber"');
const PREPARED = 'select name from pg_prepared_statements';

let database: Database;

beforeEach(() => {
  database = openDatabase({ url: inject('postgresUrl'), poolSize: 1 });
});

afterEach(() => database.destroy());

const run = (number: number) => runPrepared<{ nextNumber: number }>(database, STATEMENT, [number]);

async function preparedNames(): Promise<string[]> {
  const { rows } = await database.raw<{ rows: { name: string }[] }>(PREPARED);
  return rows.map(({ name }) => name);
}

test('a connection prepares a statement once, by name', async () => {
  expect(await run(1)).toEqual([{ nextNumber: 2 }]);
  expect(await run(2)).toEqual([{ nextNumber: 3 }]);
  expect(await preparedNames()).toEqual([STATEMENT.name]);
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
  await database.raw(`prepare "${STATEMENT.name}" (int) as select 0 as "nextNumber"`);
  expect(await run(1)).toEqual([{ nextNumber: 2 }]);
  expect(await run(2)).toEqual([{ nextNumber: 3 }]);
});

test('another error of the database is thrown, and the connection returns to the pool', async () => {
  const division = preparedStatement('select 1 / $1::int as result');
  await expect(runPrepared(database, division, [0])).rejects.toThrow('division by zero');
  expect(await runPrepared(database, division, [1])).toEqual([{ result: 1 }]);
});
