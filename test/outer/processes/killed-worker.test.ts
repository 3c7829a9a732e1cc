import { expect, test } from 'vitest';
import { samplePackage } from '../../support/sample-package.ts';
import { compileService, startServiceProcess } from '../../support/service-process.ts';
import { startTestApp } from '../../support/test-app.ts';
import { holdTransaction } from '../../support/held-lock.ts';

test(
  'an import whose worker is killed in the middle of it is taken over by another worker',
  { timeout: 180_000 },
  async () => {
    compileService();
    const app = await startTestApp({ worker: false });
    const vendor = await app.organization();
    const killed = await startServiceProcess('worker', app.environment);
    const { database } = app.api;
    const blocker = await holdTransaction(database);
    await blocker.raw('lock table module_revisions in share mode');
    const headers = { Prefer: 'respond-async' };
    const { body } = await app.importPackage(vendor, samplePackage(app.api.catalogue), { headers });
    const importId = body.importId as string;
    const row = () =>
      database('imports')
        .where({ id: importId })
        .first<{ status: string; runId: string | null; revision: number | null }>();
    // The database would finish the statement although its client is dead.
    const endWaiting = async () => {
      const { rows } = await database.raw<{ rows: unknown[] }>(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length;
    };
    await expect.poll(row).toMatchObject({ status: 'running' });
    process.kill(killed.pid, 'SIGKILL');
    await expect.poll(endWaiting).toBe(0);
    await blocker.rollback();
    const dead = await row();
    expect(dead).toMatchObject({ status: 'running', revision: null });
    await app.startWorker();
    const running = async () => (await row()).runId;
    await expect.poll(running, { timeout: 60_000, interval: 5 }).not.toBe(dead.runId);
    await expect.poll(row, { timeout: 60_000 }).toMatchObject({ status: 'succeeded', revision: 1 });
    await app.stop();
  },
);
