import { expect, onTestFinished } from 'vitest';
import { writeStructures } from '../../shared/db/structures/write-structures.ts';
import { FIXTURE_ACTOR } from '../support/fixture-actor.ts';
import { serviceTest } from '../support/service-test.ts';

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
