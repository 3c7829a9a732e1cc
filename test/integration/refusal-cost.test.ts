import { expect, onTestFinished } from 'vitest';
import { startReading } from '../support/open-answer.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';

/** Fifty requests at once, and five in each second. */
const test = serviceTest({
  worker: false,
  settings: { MAX_REQUESTS_PER_SECOND_PER_ORGANIZATION: '5' },
  config: { streams: { maxEventStreamsPerOrganization: 1 } },
});
const REFUSED = 6;
/** With it, fewer requests are sent than the organization may send for ever. */
const EVERY_MS = 2_000;

test('a request that is refused because another limit is used up counts as twenty: whoever does not wait is soon refused at all', async ({
  app,
}) => {
  const [busy, other] = [await app.organization(), await app.organization()];
  const zip = samplePackage(app.api.catalogue);
  const { body } = await app.importPackage(busy, zip, { headers: { Prefer: 'respond-async' } });
  const path = `/imports/${String(body.importId)}/events`;
  const address = new URL(`/api/v8.0/${busy.id}${path}`, app.url);
  const stream = await startReading(address, { Authorization: busy.admin });
  onTestFinished(() => stream.hangUp());
  expect(stream.status).toBe(200);
  await expect
    .poll(
      async () => {
        const refused = await Promise.all(Array.from({ length: REFUSED }, () => app.as(busy).get(path)));
        expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 429));
        return (await app.as(busy).get('/imports')).status;
      },
      { interval: EVERY_MS, timeout: 60_000 },
    )
    .toBe(429);
  expect((await app.as(other).get('/imports')).status).toBe(200);
});

test('an operator who is refused with an organization that has used up its rate suspends it all the same', async ({
  app,
}) => {
  const { id } = await app.organization();
  const operator = app.as('operator', await app.bearer({ operator: true }));
  app.api.admission.requestRate.spend(id, 1_000);
  expect((await operator.get(`/${id}/members`)).status).toBe(429);
  const suspension = { reason: 'It floods.', farmersKeepAccess: true };
  const suspended = await operator.put(`/operations/organizations/${id}/suspension`, suspension);
  expect(suspended.status, suspended.text).toBe(200);
});
