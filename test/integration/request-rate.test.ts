import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { expect, onTestFinished, vi } from 'vitest';
import { answerOf } from '../support/answer-of.ts';
import { startReading } from '../support/open-answer.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import type { Answer, TestApp, TestOrganization } from '../support/test-app.ts';

/** Ten requests at once, and one in each second. */
const test = serviceTest({ worker: false, settings: { MAX_REQUESTS_PER_SECOND_PER_ORGANIZATION: '1' } });
const AT_ONCE = 10;
/** Even where each takes long, some are refused. */
const BURST = 120;

/** Sends a burst of requests with these tokens in turn; returns the answers. */
async function burst(app: TestApp, path: string, ...tokens: readonly string[]): Promise<Answer[]> {
  return Promise.all(
    Array.from({ length: BURST }, (_, index) =>
      app.fetch(path, { headers: { Authorization: tokens[index % tokens.length] ?? '' } }),
    ),
  );
}

const importsOf = ({ id }: TestOrganization) => `/api/v8.0/${id}/imports`;

test('requests beyond the rate of an organization are 429 with Retry-After; those of another are served', async ({
  app,
}) => {
  const [busy, other] = [await app.organization(), await app.organization()];
  const answers = await burst(app, importsOf(busy), busy.admin, busy.member);
  const served = answers.filter(({ status }) => status === 200);
  for (const { headers } of served) {
    expect(headers.get('ratelimit-policy')).toBe('"requests";q=10;w=10');
    expect(headers.get('ratelimit')).toMatch(/^"requests";r=\d;t=\d+$/);
  }
  // All tokens of an organization share one rate.
  expect(served.length).toBeGreaterThanOrEqual(AT_ONCE);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, body, headers } of refused) {
    const seconds = headers.get('retry-after') ?? '';
    expect(seconds).toMatch(/^[1-9]\d*$/);
    expect({ status, body }).toMatchObject({
      status: 429,
      body: {
        type: '/problems/rate-limited',
        detail: `The organization has used up its 1 requests in a second. Try again in ${seconds} s.`,
        traceId: headers.get('x-trace-id'),
      },
    });
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('ratelimit-policy')).toBe('"requests";q=10;w=10');
    const reset = /^"requests";r=0;t=(\d+)$/.exec(headers.get('ratelimit') ?? '')?.[1];
    expect(Number(reset)).toBeGreaterThanOrEqual(Number(seconds));
  }
  expect((await app.as(other).get('/imports')).status).toBe(200);
});

test('until Retry-After a refused token is refused before its request is looked at, but not in another organization', async ({
  app,
}) => {
  const [busy, other] = [await app.organization(), await app.organization()];
  const token = await app.bearer({
    organizations: [busy, other].map(({ id }) => ({ id, roles: ['OrganizationMember'] })),
  });
  const statusOfNothing = async ({ id }: TestOrganization) => {
    const address = new URL(`/api/v8.0/${id}/nothing`, app.url);
    return (await answerOf(fetch(address, { headers: { Authorization: token } }))).status;
  };
  expect(await statusOfNothing(busy)).toBe(404);
  await expect
    .poll(async () => {
      await burst(app, importsOf(busy), token);
      return statusOfNothing(busy);
    })
    .toBe(429);
  expect(await statusOfNothing(other)).toBe(404);
  expect((await app.as(other, token).get('/imports')).status).toBe(200);
});

test('no refusal is remembered at a path that names no organization: its text is the choice of the client', async ({
  app,
}) => {
  const subject = randomUUID();
  const headers = { Authorization: await app.bearer({ subject }) };
  app.api.admission.requestRate.spend(`subject ${subject}`, 1_000);
  const remembered = vi.spyOn(LRUCache.prototype, 'set');
  onTestFinished(() => remembered.mockRestore());
  const refused = await app.fetch('/api/v8.0/ownORGANIZATIONS', { headers });
  expect(refused.status).toBe(429);
  const names = remembered.mock.calls.map(([name]) => String(name));
  expect(names.filter((name) => name.includes('ownORGANIZATIONS'))).toEqual([]);
});

test('event streams of an organization are refused beyond its rate, while that of another goes on', async ({
  app,
}) => {
  const queueImport = async (vendor: TestOrganization) => {
    const zip = samplePackage(app.api.catalogue);
    const { body } = await app.importPackage(vendor, zip, { headers: { Prefer: 'respond-async' } });
    return `${importsOf(vendor)}/${String(body.importId)}`;
  };
  const [busy, other] = [await app.organization(), await app.organization()];
  const path = await queueImport(other);
  const stream = await startReading(new URL(`${path}/events`, app.url), { Authorization: other.admin });
  onTestFinished(() => stream.hangUp());
  const address = new URL(`${await queueImport(busy)}/events`, app.url);
  const streams = await Promise.all(
    Array.from({ length: BURST }, () => startReading(address, { Authorization: busy.admin })),
  );
  const statuses = new Set(streams.map(({ status }) => status));
  for (const each of streams) each.hangUp();
  expect(statuses).toContain(429);
  expect(
    (await app.fetch(`${path}/cancel`, { method: 'POST', headers: { Authorization: other.admin } })).status,
  ).toBe(200);
  expect((await stream.readRest()).text).toContain('"status":"cancelled"');
});

test('whoever stays within the rate is never refused', async ({ app }) => {
  const vendor = await app.organization();
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => app.as(vendor).get('/imports')));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
});
