import { expect, onTestFinished } from 'vitest';
import { openDatabase } from '../../shared/db/database.ts';
import { decideReview } from '../../shared/db/modules/reviews.ts';
import { PLACEHOLDER_FILES } from '../../shared/package/placeholders.ts';
import { releaseRevision } from '../../shared/registration/releases.ts';
import { FIXTURE_ACTOR } from '../support/fixture-actor.ts';
import { holdTransaction } from '../support/held-lock.ts';
import { importSample } from '../support/import-sample.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import type { Answer, TestApp, TestOrganization } from '../support/test-app.ts';

const test = serviceTest({ settings: { REVIEW_FIRST_RELEASES: 'true' } });

const AWAITS = [409, '/problems/revision-awaits-review'];
const problemOf = ({ status, body }: Answer) => [status, body.type as unknown];

/** What the answer to an import says of the revision that is not released. */
const warningOf = ({ body }: Answer) => {
  const warnings = body.warnings as readonly { code: string; detail: string }[];
  return warnings.find(({ code }) => code === 'registry-revision-not-released')?.detail ?? '';
};

interface Item {
  readonly id: string;
  readonly moduleId: string;
}

/** A vendor that is not verified, with an imported module, and the calls of its first release. */
async function makeFirst(app: TestApp) {
  const vendor = await app.organization();
  const moduleId = await importSample(app, vendor);
  const release = (revision = 1) => app.as(vendor).post(`/modules/${moduleId}/revisions/${revision}/release`);
  const read = async () => {
    const { body } = await app.as('operator').get('/operations/reviews?limit=200');
    return (body.items as readonly Item[]).filter((each) => each.moduleId === moduleId);
  };
  const decide = async (decision: string) => {
    const [waiting] = await read();
    const body = { decision, reason: 'We looked at it.' };
    return app.as('operator').post(`/operations/reviews/${waiting?.id ?? ''}/decide`, body);
  };
  const importNext = () =>
    app.importPackage(
      vendor,
      samplePackage(app.api.catalogue, { descriptor: { moduleId, component: './Next' } }),
    );
  return { vendor, moduleId, release, read, decide, importNext };
}

const verify = (app: TestApp, { id, tenantId }: TestOrganization) =>
  app.as('operator').put(`/organizations/${id}`, { name: 'Known', kind: 'vendor', tenantId, verified: true });

test('the first import of a vendor that is not verified is staged, with a warning, and its release waits for an operator', async ({
  app,
}) => {
  const { vendor, moduleId, release, read, decide } = await makeFirst(app);
  const imported = (await app.as(vendor).get(`/imports?moduleId=${moduleId}`)).body.items as object[];
  expect(imported).toMatchObject([
    {
      released: false,
      warnings: expect.arrayContaining([
        expect.objectContaining({ code: 'registry-revision-not-released' }),
      ]) as unknown,
    },
  ]);
  expect(await read()).toEqual([]);
  expect(problemOf(await release())).toEqual(AWAITS);
  expect(problemOf(await release())).toEqual(AWAITS);
  expect(await read()).toMatchObject([
    { kind: 'first-release', moduleId, revision: 1, organizationId: vendor.id, reason: null, text: null },
  ]);
  expect((await decide('approved')).status).toBe(200);
  expect((await release()).status).toBe(200);
});

test('no import advises a release that is refused: of placeholders, of a declined revision, of a package that is only validated', async ({
  app,
}) => {
  const { vendor, moduleId, release, decide } = await makeFirst(app);
  const newVendor = await app.organization();
  const terms = { 'ModuleToS/terms.md': PLACEHOLDER_FILES.terms };
  const placeholders = samplePackage(app.api.catalogue, { files: terms });
  const first = await app.importPackage(newVendor, placeholders);
  expect(first.text).toContain('Replace what the warnings layout-placeholder name');
  const validated = await app.importPackage(newVendor, samplePackage(app.api.catalogue), {
    query: '?validateOnly=true',
  });
  expect(warningOf(validated)).toBe(
    'An operator has to approve the first release of the module, so revision 1 would be staged.',
  );
  await release();
  await decide('declined');
  const again = await app.importPackage(
    vendor,
    samplePackage(app.api.catalogue, { descriptor: { moduleId } }),
  );
  expect(again.text).toContain('which an operator has declined to release');
  for (const { status, text } of [first, validated, again]) {
    expect(status, text).toBe(200);
    expect(text).not.toContain('send POST');
  }
});

test('an import that an operator has to approve names the call that asks for its release, and the call puts it into the queue', async ({
  app,
}) => {
  const { vendor, moduleId, read } = await makeFirst(app);
  const again = await app.importPackage(
    vendor,
    samplePackage(app.api.catalogue, { descriptor: { moduleId } }),
  );
  const path = `/modules/${moduleId}/revisions/1/release`;
  expect(warningOf(again)).toBe(
    `The package equals revision 1, which is not what everyone has. To ask for its release, send POST /api/v8.0/${vendor.id}${path}.`,
  );
  expect(problemOf(await app.as(vendor).post(path))).toEqual(AWAITS);
  expect(await read()).toHaveLength(1);
});

test('a package with placeholders that is only validated would be staged', async ({ app }) => {
  const files = { 'ModuleToS/terms.md': PLACEHOLDER_FILES.terms };
  const validated = await app.importPackage(
    await app.organization(),
    samplePackage(app.api.catalogue, { files }),
    { query: '?validateOnly=true' },
  );
  expect(warningOf(validated)).toContain('so revision 1 would be staged.');
});

test('after the first release imports are released at once', async ({ app }) => {
  const { release, decide, importNext } = await makeFirst(app);
  await release();
  await decide('approved');
  await release();
  expect((await importNext()).body).toMatchObject({ revision: 2, released: true });
});

test('a release to a ring waits too', async ({ app }) => {
  const { vendor, moduleId } = await makeFirst(app);
  const path = `/modules/${moduleId}/revisions/1/release`;
  expect(problemOf(await app.as(vendor).post(path, { percent: 100 }))).toEqual(AWAITS);
});

test('a declined revision stays staged, and another one waits anew', async ({ app }) => {
  const { vendor, moduleId, release, read, decide, importNext } = await makeFirst(app);
  await release();
  await decide('declined');
  expect((await release()).body.detail).toContain('declined');
  expect(await read()).toEqual([]);
  const decisions = (await app.as(vendor).get(`/modules/${moduleId}/reviews`)).body.items as object[];
  expect(decisions).toMatchObject([{ decision: 'declined', decisionReason: 'We looked at it.' }]);
  await importNext();
  expect(problemOf(await release(2))).toEqual(AWAITS);
  expect(await read()).toMatchObject([{ revision: 2 }]);
});

test('a release that is called while an operator decides its review follows the decision, and nothing waits any longer', async ({
  app,
}) => {
  const { vendor, moduleId, release, read } = await makeFirst(app);
  await release();
  const [review] = await read();
  // Unlike those of the service, its statements wait for locks without a limit.
  const waiting = openDatabase({ url: app.environment['DATABASE_URL'] ?? '', poolSize: 1 });
  onTestFinished(() => waiting.destroy());
  const deciding = await holdTransaction(app.api.database);
  const decision = { decision: 'declined', reason: 'We looked at it.' } as const;
  expect(await decideReview(deciding, review?.id ?? '', decision, FIXTURE_ACTOR)).toMatchObject({
    decision: 'declined',
  });
  const key = { organizationId: vendor.id, moduleId };
  const wanted = { revision: 1, ring: null, isFirstReviewed: true };
  const releasing = releaseRevision(waiting, key, wanted, FIXTURE_ACTOR);
  await expect.poll(() => lockWaits(app)).toBeGreaterThan(0);
  await deciding.commit();
  expect(await releasing).toBe('declined');
  expect(await read()).toEqual([]);
});

test('another revision takes the place of the one that waits, so that an operator approves only what they have seen', async ({
  app,
}) => {
  const { release, read, importNext } = await makeFirst(app);
  await release();
  const [seen] = await read();
  await importNext();
  await release(2);
  expect(await read()).toMatchObject([{ revision: 2 }]);
  const body = { decision: 'approved', reason: 'Fine.' };
  const late = await app.as('operator').post(`/operations/reviews/${seen?.id ?? ''}/decide`, body);
  expect(problemOf(late)).toEqual([404, '/problems/not-found']);
});

test('a vendor that is verified while its release waits releases it, and nothing waits any longer', async ({
  app,
}) => {
  const { vendor, release, read } = await makeFirst(app);
  await release();
  await verify(app, vendor);
  expect(await read()).toEqual([]);
  expect((await release()).status).toBe(200);
});

test('nothing waits of a module that its vendor deletes, and a decision of the other kind is refused', async ({
  app,
}) => {
  const { vendor, moduleId, release, read, decide } = await makeFirst(app);
  await release();
  expect(problemOf(await decide('upheld'))).toEqual([400, '/problems/request-invalid']);
  await app.as(vendor).delete(`/modules/${moduleId}`);
  expect(await read()).toEqual([]);
});

test('nothing waits once another revision is released to everyone', async ({ app }) => {
  const { release, read, decide, importNext } = await makeFirst(app);
  await release();
  await decide('approved');
  await importNext();
  expect(problemOf(await release(2))).toEqual(AWAITS);
  expect(await read()).toMatchObject([{ revision: 2 }]);
  expect((await release()).status).toBe(200);
  expect(await read()).toEqual([]);
  expect((await release(2)).status).toBe(200);
});

test('nothing waits of a revision that its vendor deletes', async ({ app }) => {
  const { vendor, moduleId, release, read, importNext } = await makeFirst(app);
  await importNext();
  await release();
  await app.as(vendor).delete(`/modules/${moduleId}/revisions/2`);
  expect(await read()).toMatchObject([{ revision: 1 }]);
  await importNext();
  await app.as(vendor).delete(`/modules/${moduleId}/revisions/1`);
  expect(await read()).toEqual([]);
});

test('a revision that does not exist is not put into the queue', async ({ app }) => {
  const { release, read } = await makeFirst(app);
  expect((await release(7)).status).toBe(404);
  expect(await read()).toEqual([]);
});
