import { expect } from 'vitest';
import { clearOrganizations } from '../../worker/maintenance/clear-organizations.ts';
import { makeReviewedModule, REPORT, UPHELD } from '../support/reviewed-module.ts';
import { serviceTest } from '../support/service-test.ts';
import type { Answer, TestApp, TestOrganization } from '../support/test-app.ts';

const test = serviceTest();

const DISMISSED = { decision: 'dismissed', reason: 'The server is the vendor’s own.' };

interface Item {
  readonly id: string;
  readonly moduleId: string;
}

const problemOf = ({ status, body }: Answer) => [status, body.type as unknown];

/** A module that a farmer can report, and its reviews in the queue. */
async function makeShop(app: TestApp) {
  const module = await makeReviewedModule(app);
  const read = async (query = '') => {
    const { body } = await app.as('operator').get(`/operations/reviews?limit=200&${query}`);
    return (body.items as readonly Item[]).filter(({ moduleId }) => moduleId === module.moduleId);
  };
  const decide = async (decision = UPHELD) => module.decide((await read())[0]?.id ?? '', decision);
  return { ...module, read, decide };
}

test('a report waits in the queue of operators, with what the farmer saw', async ({ app }) => {
  const { vendor, moduleId, farmer, report, read } = await makeShop(app);
  expect((await report()).status).toBe(201);
  expect(await read()).toMatchObject([
    {
      ...{ kind: 'report', moduleId, moduleDeleted: false, revision: 1, ...REPORT },
      ...{ organizationId: farmer.id, vendor: { id: vendor.id, verified: false }, decision: null },
    },
  ]);
  expect(await read('decided=true')).toEqual([]);
});

test('an organization has one open report of a module, and reports it again after the decision', async ({
  app,
}) => {
  const { vendor, report, decide } = await makeShop(app);
  const other = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  expect((await report()).status).toBe(201);
  expect(problemOf(await report())).toEqual([409, '/problems/report-open']);
  expect((await report(other)).status).toBe(201);
  await decide();
  await decide();
  expect((await report()).status).toBe(201);
});

test('an organization reads its reports with their decisions but without the answers, and no other farm reads them', async ({
  app,
}) => {
  const { vendor, moduleId, farmer, report, decide } = await makeShop(app);
  const made = await report();
  const path = `/availableModules/${moduleId}/reports`;
  const { id } = made.body;
  expect(made.headers.get('location')).toBe(`/api/v8.0/${farmer.id}${path}/${String(id)}`);
  await decide();
  await app.as(vendor).post(`/modules/${moduleId}/reviews/${String(id)}/answer`, { text: 'For operators.' });
  const decided = { id, decision: 'upheld', decisionReason: UPHELD.reason };
  expect((await app.as(farmer).get(`${path}/${String(id)}`)).body).toMatchObject(decided);
  const own = await app.as(farmer).get(path);
  expect(own.body.items).toMatchObject([decided]);
  expect(JSON.stringify(own.body)).not.toContain('For operators.');
  const other = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  expect((await app.as(other).get(`${path}/${String(id)}`)).status).toBe(404);
  expect((await app.as(other).get(path)).body.items).toEqual([]);
});

test('of two reports that an organization sends at once, one is kept', async ({ app }) => {
  const { report, read } = await makeShop(app);
  const answers = await Promise.all([report(), report()]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  expect(await read()).toHaveLength(1);
});

test('an organization reports only a module that it sees', async ({ app }) => {
  const { report } = await makeShop(app);
  const stranger = await app.organization({ kind: 'farmer' });
  expect(problemOf(await report(stranger))).toEqual([404, '/problems/not-found']);
});

test('the vendor reads the decision with its reason, neither the text nor the farmer, and answers once', async ({
  app,
}) => {
  const { vendor, moduleId, farmer, report, read, decide, answer } = await makeShop(app);
  const path = `/modules/${moduleId}/reviews`;
  await report();
  expect((await app.as(vendor).get(path)).body.items).toEqual([]);
  expect(await decide()).toMatchObject({ status: 200, body: { decision: 'upheld', text: REPORT.text } });
  const seen = await app.as(vendor).get(path);
  expect(seen.body.items).toMatchObject([
    { reason: 'security', decision: 'upheld', decisionReason: UPHELD.reason, answer: null },
  ]);
  expect(seen.text).not.toContain(REPORT.text);
  expect(seen.text).not.toContain(farmer.id);
  const [{ id } = { id: '' }] = seen.body.items as readonly Item[];
  expect(problemOf(await answer(id, await app.organization()))).toEqual([404, '/problems/not-found']);
  expect(await answer(id)).toMatchObject({ status: 200, body: { answer: 'It is removed in revision 2.' } });
  expect(problemOf(await answer(id))).toEqual([409, '/problems/review-answered']);
  expect(await read('decided=true')).toMatchObject([{ id, answer: 'It is removed in revision 2.' }]);
});

test('of two operators that decide, the first decides, and the other learns it', async ({ app }) => {
  const { report, read } = await makeShop(app);
  const { decide } = await makeReviewedModule(app);
  await report();
  const [{ id } = { id: '' }] = await read();
  const answers = await Promise.all([decide(id, UPHELD), decide(id, DISMISSED)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const kept = answers.find(({ status }) => status === 200)?.body;
  expect(await read('decided=true')).toMatchObject([{ id, decision: kept?.['decision'] }]);
});

test('a report of a module that its vendor deletes, or imports anew, is decided all the same', async ({
  app,
}) => {
  const { vendor, moduleId, report, read, decide } = await makeShop(app);
  await report();
  await app.as(vendor).delete(`/modules/${moduleId}`);
  expect(await read()).toMatchObject([{ moduleDeleted: true, revision: 1 }]);
  expect(await decide(DISMISSED)).toMatchObject({ status: 200, body: { decision: 'dismissed' } });
});

test('the reports of an organization are deleted with it', async ({ app }) => {
  const { farmer, report, read } = await makeShop(app);
  await report();
  await app.as('operator').delete(`/organizations/${farmer.id}`);
  await clearOrganizations(app.api, 0);
  expect(await read()).toEqual([]);
});

test('a report is in the farmer’s log, a decision and its answer in the vendor’s', async ({ app }) => {
  const { vendor, moduleId, farmer, report, decide, answer } = await makeShop(app);
  await report();
  await answer(String((await decide(DISMISSED)).body.id));
  const entriesOf = async (who: TestOrganization) =>
    (await app.as(who).get(`/auditLog?moduleId=${moduleId}`)).body.items as readonly { action: string }[];
  expect(await entriesOf(farmer)).toMatchObject([
    { action: 'module.reported', details: { reason: 'security', revision: 1 } },
  ]);
  const [answered, decided] = await entriesOf(vendor);
  expect(answered).toMatchObject({ action: 'review.answered' });
  expect(decided).toMatchObject({ action: 'report.dismissed', details: { reason: DISMISSED.reason } });
});
