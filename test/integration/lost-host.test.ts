import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp } from '../support/test-app.ts';
import type { TestApp } from '../support/test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ worker: false });
});

afterAll(() => app.stop());

test('what a process has locked is free again when nothing is heard of it in the middle of a transaction', async () => {
  const { id } = await app.organization();
  const { database } = app.api;
  const silent = await database.transaction();
  await silent('organizations').where({ id }).forUpdate().select('id');
  expect(await database('organizations').where({ id }).update({ name: 'Changed' })).toBe(1);
  await expect(silent('organizations').where({ id }).update({ name: 'Late' })).rejects.toThrow();
  await silent.rollback().catch(() => undefined);
  expect(await database('organizations').where({ id }).select('name')).toEqual([{ name: 'Changed' }]);
});
