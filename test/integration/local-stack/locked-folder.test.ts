import { randomUUID } from 'node:crypto';
import { chmod, lstat, mkdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { startPostgres } from '../../../shared/local/postgres.ts';
import { isRoot, openPrograms } from '../../../shared/local/unprivileged.ts';

/** As `/root` of a container: PostgreSQL refuses root, and no other account may enter. */
async function makeLockedFolder(): Promise<string> {
  const folder = path.join(inject('scratch'), `locked-${randomUUID()}`);
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

test.runIf(isRoot)(
  'root keeps the database of a folder that only root may enter where another account may, and finds it again',
  async () => {
    const directory = path.join(await makeLockedFolder(), 'postgres');
    const first = await startPostgres(directory, { fsync: false });
    const elsewhere = await realpath(directory);
    onTestFinished(() => rm(elsewhere, { recursive: true }));
    await query(first.url, 'create table kept (value int)');
    await first.stop();
    expect((await lstat(directory)).isSymbolicLink()).toBe(true);
    expect((await stat(elsewhere)).mode & 0o777).toBe(0o700);
    const second = await startPostgres(directory, { fsync: false });
    expect(await query(second.url, 'select * from kept')).toEqual([]);
    await second.stop();
    // A folder that was deleted starts anew.
    await rm(directory);
    const third = await startPostgres(directory, { fsync: false });
    await expect(query(third.url, 'select * from kept')).rejects.toThrow('does not exist');
    await third.stop();
  },
);

test.runIf(isRoot)('root moves a database out of a folder that only root may enter any more', async () => {
  const folder = path.join(inject('scratch'), `closed-${randomUUID()}`);
  await mkdir(folder, { mode: 0o755 });
  const directory = path.join(folder, 'postgres');
  const first = await startPostgres(directory, { fsync: false });
  await query(first.url, 'create table kept (value int)');
  await first.stop();
  await chmod(folder, 0o700);
  const second = await startPostgres(directory, { fsync: false });
  const elsewhere = await realpath(directory);
  onTestFinished(() => rm(elsewhere, { recursive: true }));
  expect(elsewhere).not.toContain(folder);
  expect(await query(second.url, 'select * from kept')).toEqual([]);
  await second.stop();
});

test.runIf(isRoot)('root runs a copy of programs that no other account may reach', async () => {
  const folder = path.join(await makeLockedFolder(), 'native');
  await mkdir(path.join(folder, 'bin'), { recursive: true });
  await writeFile(path.join(folder, 'bin/program'), 'a program', { mode: 0o700 });
  const copy = await openPrograms(folder, 'bin/program', `test-${randomUUID()}`);
  onTestFinished(() => rm(copy, { recursive: true }));
  expect(copy).not.toContain(inject('scratch'));
  expect(await readFile(path.join(copy, 'bin/program'), 'utf8')).toBe('a program');
  for (const each of [copy, path.join(copy, 'bin'), path.join(copy, 'bin/program')])
    expect((await stat(each)).mode & 0o055, each).toBe(0o055);
  const open = path.join(inject('scratch'), `open-${randomUUID()}`);
  await mkdir(open);
  await writeFile(path.join(open, 'program'), '', { mode: 0o755 });
  expect(await openPrograms(open, 'program', 'unused')).toBe(open);
});
