import { expect, onTestFinished } from 'vitest';
import { serviceTest } from '../support/service-test.ts';

const test = serviceTest({ worker: false });

test('the locks of a process are released if its host disappears in the middle of a transaction', async ({
  app,
}) => {
  const { id } = await app.organization();
  const { database } = app.api;
  const silent = await database.transaction();
  onTestFinished(async () => {
    await silent.rollback().catch(() => undefined);
  });
  await silent('organizations').where({ id }).forUpdate().select('id');
  const change = async () =>
    database('organizations')
      .where({ id })
      .update({ name: 'Changed' })
      .catch(() => 'still locked');
  await expect.poll(change).toBe(1);
  await expect(silent('organizations').where({ id }).update({ name: 'Late' })).rejects.toThrow();
  expect(await database('organizations').where({ id }).select('name')).toEqual([{ name: 'Changed' }]);
});
