import { expect } from 'vitest';
import { forOwner } from '../../shared/limits/owner.ts';
import { parseMetrics } from '../support/metric-values.ts';
import { samplePackage } from '../support/sample-package.ts';
import { holdStructures } from '../support/held-lock.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { putFarms, sampleFarm } from '../support/machine-access.ts';
import { serviceTest } from '../support/service-test.ts';

// Longer than the test: what waits for the lock waits until the test releases it.
const test = serviceTest({ config: { database: { lockSeconds: 60, waitSeconds: 60 } } });

test.for([10, 50])(
  "%i writes of one farmer that wait for one row leave other organizations' calls and health answers alone",
  async (writes, { app, vendor }) => {
    const farmer = await app.organization({ kind: 'farmer' });
    const other = await app.organization({ kind: 'farmer' });
    await putFarms(app, farmer, [sampleFarm()]);
    const held = await holdStructures(app, farmer.id);
    const written = Array.from({ length: writes }, () =>
      app.as(farmer).put('/structures', { farms: [sampleFarm()] }),
    );
    try {
      await expect.poll(() => lockWaits(app)).toBe(5);
      const answers = await Promise.all([
        app.as(vendor).get('/imports'),
        app.importPackage(vendor, samplePackage(app.api.catalogue)),
        app.as(other).put('/structures', { farms: [sampleFarm()] }),
        app.as(other).get('/structures'),
        app.as('operator').get('/organizations'),
        app.fetch('/readyz'),
        app.fetch('/livez'),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 200]);
      expect(await lockWaits(app)).toBe(5);
    } finally {
      await held.release();
    }
    expect(new Set((await Promise.all(written)).map(({ status }) => status))).toEqual(new Set([200]));
  },
);

test('health answers and metrics need none of the shared connections', async ({ app }) => {
  const { client } = app.api.database as { client: { acquireConnection(): Promise<unknown> } };
  const { releaseConnection } = app.api.database.client as {
    releaseConnection(each: unknown): Promise<void>;
  };
  // Half of the connections for each of two owners are all of them.
  const taken = [];
  for (const owner of ['a', 'b'])
    for (let each = 0; each < 5; each += 1)
      taken.push(await forOwner(owner, () => client.acquireConnection()));
  try {
    expect((await app.fetch('/readyz')).status).toBe(200);
    const { text } = await app.fetch('/metrics');
    expect(parseMetrics(text).get('import_queue_rows{status="queued"}')).toBe(0);
  } finally {
    for (const each of taken) await releaseConnection.call(app.api.database.client, each);
  }
});
