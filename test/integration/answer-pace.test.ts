import { expect } from 'vitest';
import { install } from '../support/machine-access.ts';
import { storeBlocks } from '../support/many-structures.ts';
import { startReading } from '../support/open-answer.ts';
import { serviceTest } from '../support/service-test.ts';

const test = serviceTest({ config: { streams: { answerPaceSeconds: 2 } } });

test('a client that reads a long answer more slowly than the limit is disconnected, and its slot is free', async ({
  app,
  farmer,
  module: { moduleId, key },
}) => {
  await install(app, farmer, moduleId);
  await storeBlocks(app, farmer, 3_000, 3_000);
  const address = new URL(`/api/v8.0/Alerts/StructuresByModuleId/${moduleId}`, app.url);
  const reader = await startReading(address, { 'X-Api-Key': key });
  reader.readSlowly(2_048, 5_000);
  expect(app.api.structures.streamSlots.taken()).toBe(1);
  await expect.poll(() => app.api.structures.streamSlots.taken()).toBe(0);
  expect((await reader.readRest()).isWhole).toBe(false);
});
