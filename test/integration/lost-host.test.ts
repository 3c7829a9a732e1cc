import { expect, onTestFinished } from 'vitest';
import { serviceTest } from '../support/service-test.ts';

const test = serviceTest({ worker: false });

test('the locks of a process are released if its host disappears in the middle of a transaction', async ({
  app,
}) => {
  const { id } = await app.organization();
  const { database } = app.api;
  const silent = await database.transaction();
  const IDLE = 'idle_in_transaction_session_timeout';
  const { rows } = await silent.raw<{ rows: unknown[] }>(`select current_setting('${IDLE}') as idle`);
  expect(rows).toEqual([{ idle: '10s' }]);
  // Now as if most of this time had passed.
  await silent.raw(`set local ${IDLE} = 100`);
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
