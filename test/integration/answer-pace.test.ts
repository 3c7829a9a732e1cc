import { expect } from 'vitest';
import type { TestModule } from '../support/caller.ts';
import { install, makeModule } from '../support/machine-access.ts';
import { storeBlocks } from '../support/many-structures.ts';
import { startReading } from '../support/open-answer.ts';
import { serviceTest } from '../support/service-test.ts';
import { LONG_SUBJECT, makeChanges } from '../support/webhook-module.ts';

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

test('a client that does not read its event stream is disconnected; one whose stream has no events is not', async ({
  app,
}) => {
  const [quiet, busy] = [await app.organization(), await app.organization()];
  const open = async ({ moduleId, key }: TestModule) =>
    startReading(new URL(`/api/v8.0/Alerts/ChangesByModuleId/${moduleId}?cursor=0&limit=5`, app.url), {
      'X-Api-Key': key,
      Accept: 'text/event-stream',
    });
  const idle = await open(await makeModule(app, quiet));
  const module = await makeModule(app, busy);
  await makeChanges(app, module.moduleId, 200, { subject: LONG_SUBJECT });
  const slow = await open(module);
  expect(app.api.eventSlots.takenBy(busy.id)).toBe(1);
  await expect.poll(() => app.api.eventSlots.takenBy(busy.id)).toBe(0);
  expect((await slow.readRest()).isWhole).toBe(false);
  expect(app.api.eventSlots.takenBy(quiet.id)).toBe(1);
  idle.hangUp();
});
