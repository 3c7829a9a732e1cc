import type { Request } from 'express';
import { expect } from 'vitest';
import { makeModule } from '../support/machine-access.ts';
import { serviceTest } from '../support/service-test.ts';

const test = serviceTest();

/** Blocks the event loop without using the processor. */
function blockLoop(durationMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, durationMs);
}

test('a revoked key is refused after its time in memory, also if the event loop was blocked meanwhile', async ({
  app,
  vendor,
}) => {
  const { key } = await makeModule(app, vendor);
  const { apiKeys, database } = app.api;
  // All that a check reads of a request.
  const request = { get: () => key } as unknown as Request;
  const { id } = await apiKeys.authenticate(request);
  const revoked = await database('api_keys').where({ id }).update({ revokedAt: database.fn.now() });
  expect(revoked).toBe(1);
  // The first of two checks in one turn of the loop; whether the key is still in memory then does not matter.
  const before = apiKeys.authenticate(request).catch(() => null);
  blockLoop(600);
  const after = apiKeys.authenticate(request);
  await expect(after).rejects.toMatchObject({ code: 'auth-api-key-invalid' });
  await before;
});
