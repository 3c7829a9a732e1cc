import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';

const test = serviceTest({ worker: false, settings: { IMPORT_WAIT_SECONDS: '30' } });

test('a request whose import is gone after a failover is answered 503; sent again it makes a new import', async ({
  app,
  vendor,
}) => {
  const zip = samplePackage(app.api.catalogue, {});
  const headers = { 'Idempotency-Key': randomUUID() };
  const waiting = app.importPackage(vendor, zip, { headers });
  const imports = app.api.database('imports').where({ organizationId: vendor.id });
  await expect.poll(() => imports.clone().select('id')).toHaveLength(1);
  await app.api.database('idempotency_keys').where({ organizationId: vendor.id }).delete();
  await imports.clone().delete();

  const answer = await waiting;
  expect(answer.status, answer.text).toBe(503);
  expect(answer.body).toMatchObject({ type: '/problems/unavailable' });
  expect(answer.headers.get('Retry-After')).toBe('1');

  const again = await app.importPackage(vendor, zip, { headers: { ...headers, Prefer: 'respond-async' } });
  expect(again.status, again.text).toBe(202);
  expect(await imports.clone().select('id')).toEqual([{ id: again.body.importId as string }]);
});
