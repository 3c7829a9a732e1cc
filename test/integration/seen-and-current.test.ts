import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { ENDPOINTS } from '../../api/endpoints.ts';
import { importSample } from '../support/import-sample.ts';
import { install, sampleFarm } from '../support/machine-access.ts';
import { accept, ADMIN, invite, keptOf, person } from '../support/members.ts';
import { publishingModule } from '../support/publishing-module.ts';
import { definition } from '../support/rule-market.ts';
import { makeReviewedModule } from '../support/reviewed-module.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest, type ServiceFixtures } from '../support/service-test.ts';
import type { Answer } from '../support/test-app.ts';
import { makeWebhook } from '../support/webhook-module.ts';

const test = serviceTest();

/** What protects a call of a person who saw one state while the service has another by then. */
type Protection =
  /** It is refused where the entity tag in `If-Match` is not that of the current state. */
  | 'If-Match'
  /** It names the revision that was seen, in its path: another one is not touched. */
  | 'revision'
  /** It is refused where it does not fit the state that is found under the lock. */
  | 'state'
  /** It sends the whole new state: the later call holds, and never a mixture. The audit log has both. */
  | 'whole'
  /** It ends or marks one thing whose ID is never used again, whatever that has become. */
  | 'named'
  /** It only adds something of its own, or repeats what may be repeated. */
  | 'adds';

/** Each call that changes something, by its ID. The first four kinds need a proof below. */
const CALLS: Readonly<Record<string, Protection>> = {
  importModule: 'If-Match',
  writeInstallation: 'If-Match',
  writeStructures: 'If-Match',
  deleteStructures: 'If-Match',
  releaseRevision: 'revision',
  deleteRevision: 'revision',
  writePreviewers: 'revision',
  cancelImport: 'state',
  retryImport: 'state',
  dismissImport: 'state',
  acceptInvitation: 'state',
  deleteInvitation: 'state',
  createAlertRule: 'state',
  writeAlertRule: 'state',
  deleteMember: 'state',
  deleteOrganization: 'state',
  deleteScope: 'state',
  decideReview: 'state',
  testWebhook: 'state',
  testOperatorWebhook: 'state',
  writeOrganizationGroups: 'whole',
  writeTrustedPublishers: 'whole',
  writeOrganization: 'whole',
  writeOrganizationLimits: 'whole',
  writeSuspension: 'whole',
  deprecateModule: 'whole',
  writeNotificationSettings: 'whole',
  // One word or one text: nothing can be mixed.
  changeModule: 'named',
  answerReview: 'named',
  writeMember: 'named',
  changeWebhook: 'named',
  changeOperatorWebhook: 'named',
  withdrawModule: 'named',
  offerModule: 'named',
  quarantineModule: 'named',
  deleteQuarantine: 'named',
  deleteSuspension: 'named',
  acknowledgeAlert: 'named',
  unsubscribePerson: 'named',
  deleteModule: 'named',
  deleteInstallation: 'named',
  deleteAlertRule: 'named',
  deleteWebhook: 'named',
  deletePushSubscription: 'named',
  deleteOperatorWebhook: 'named',
  deleteApiClient: 'named',
  deleteSession: 'named',
  deleteSessions: 'named',
  registerApiClient: 'adds',
  createWebhook: 'adds',
  createPushSubscription: 'adds',
  createOperatorWebhook: 'adds',
  createInvitation: 'adds',
  // Each answer has the secret that its call made; the one before works for the overlap.
  rotateApiClient: 'adds',
  rotateWebhook: 'adds',
  rotateOperatorWebhook: 'adds',
  resendWebhook: 'adds',
  resendOperatorWebhook: 'adds',
  retryFailedImports: 'adds',
  raiseAlerts: 'adds',
  reportRules: 'adds',
  createReport: 'adds',
  exchangeToken: 'adds',
};

type Service = Pick<ServiceFixtures, 'app' | 'vendor' | 'farmer'>;
type Proof = (service: Service) => Promise<void>;

const outcomeOf = ({ status, body }: Answer) =>
  `${status} ${String(body.type ?? '').replace('/problems/', '')}`.trim();

const zipOf = ({ app }: Pick<ServiceFixtures, 'app'>, moduleId: string) =>
  samplePackage(app.api.catalogue, { descriptor: { moduleId, component: randomUUID() } });

const nextRevision = async ({ app, vendor }: Service, moduleId: string, query = '') =>
  expect((await app.importPackage(vendor, zipOf({ app }, moduleId), { query })).status).toBe(200);

const RULE = { criteria: 'temperature', values: { operator: 'gt', value: 30 } };

/** A module whose criterion takes values up to 60, installed by the farmer. */
async function definedModule({ app, vendor, farmer }: Service): Promise<string> {
  const moduleId = randomUUID();
  await defineAnew({ app, vendor, farmer }, moduleId, 60);
  await install(app, farmer, moduleId);
  return moduleId;
}

const defineAnew = ({ app, vendor }: Service, moduleId: string, max: number) =>
  importSample(app, vendor, {
    descriptor: { moduleId },
    files: { 'AlertRuleDefinitionFile/alert-rules.yaml': definition(max, 'temperature') },
  });

/** Two administrators write the same thing at once: it is what one of them sent. */
async function oneOf<Sent>(
  sent: readonly Sent[],
  write: (each: Sent) => Promise<Answer>,
  read: () => Promise<unknown>,
): Promise<void> {
  for (const answer of await Promise.all(sent.map(write)))
    expect(answer.status, answer.text).toBeLessThan(300);
  expect(sent).toContainEqual(await read());
}

const PROOFS: Readonly<Record<string, Proof>> = {
  async importModule(service) {
    const { app, vendor } = service;
    const moduleId = await importSample(app, vendor);
    const seen = (await app.as(vendor).get(`/modules/${moduleId}`)).headers.get('etag') ?? '';
    await nextRevision(service, moduleId);
    const headers = { 'If-Match': seen };
    const late = await app.importPackage(vendor, zipOf(service, moduleId), { headers });
    expect(outcomeOf(late)).toBe('412 registry-revision-changed');
  },
  // Its other cases are those of seen-offers.test.ts.
  async writeInstallation(service) {
    const { app, vendor, farmer } = service;
    const moduleId = await importSample(app, vendor);
    const { headers } = await app.as(farmer).get(`/availableModules/${moduleId}`);
    await nextRevision(service, moduleId);
    const seen = { 'If-Match': headers.get('etag') ?? '' };
    const late = await app.as(farmer).put(`/installations/${moduleId}`, {}, seen);
    expect(outcomeOf(late)).toBe('412 installation-offer-changed');
  },
  async writeStructures({ app, farmer }) {
    const own = app.as(farmer);
    const seen = (await own.get('/structures')).headers.get('etag') ?? '';
    await own.put('/structures', { farms: [sampleFarm()] });
    const late = await own.put('/structures', { farms: [sampleFarm()] }, { 'If-Match': seen });
    expect(outcomeOf(late)).toBe('412 structures-changed');
  },
  async deleteStructures({ app, farmer }) {
    const own = app.as(farmer);
    const seen = (await own.get('/structures')).headers.get('etag') ?? '';
    await own.put('/structures', { farms: [sampleFarm()] });
    expect(outcomeOf(await own.delete('/structures', { 'If-Match': seen }))).toBe('412 structures-changed');
  },
  async releaseRevision(service) {
    const { app, vendor } = service;
    const moduleId = await importSample(app, vendor);
    await nextRevision(service, moduleId, '?release=staged');
    await nextRevision(service, moduleId, '?release=staged');
    const own = app.as(vendor);
    const release = (revision: number) => own.post(`/modules/${moduleId}/revisions/${revision}/release`);
    expect((await release(2)).body).toMatchObject({ currentRevision: 2, newestRevision: 3 });
    await own.delete(`/modules/${moduleId}/revisions/1`);
    expect(outcomeOf(await release(1))).toBe('404 not-found');
  },
  async deleteRevision(service) {
    const { app, vendor } = service;
    const moduleId = await importSample(app, vendor);
    await nextRevision(service, moduleId, '?release=staged');
    await app.as(vendor).post(`/modules/${moduleId}/revisions/2/release`);
    const late = await app.as(vendor).delete(`/modules/${moduleId}/revisions/2`);
    expect(outcomeOf(late)).toBe('409 revision-current');
  },
  async writePreviewers(service) {
    const { app, vendor } = service;
    const moduleId = await importSample(app, vendor);
    await nextRevision(service, moduleId, '?release=staged');
    const path = `/modules/${moduleId}/revisions/2`;
    const put = (organizationIds: readonly string[]) =>
      app.as(vendor).put(`${path}/previewers`, { organizationIds });
    const read = async () => {
      const { body } = await app.as(vendor).get(`/modules/${moduleId}/releases`);
      return (body.previews as { organizationIds: string[] }[])[0]?.organizationIds;
    };
    await oneOf(
      [1, 2].map(() => [randomUUID(), randomUUID()].toSorted()),
      put,
      read,
    );
    await app.as(vendor).post(`${path}/release`);
    expect(outcomeOf(await put([]))).toBe('409 revision-released');
  },
  async cancelImport({ app, vendor }) {
    const { body } = await app.importPackage(vendor, zipOf({ app }, randomUUID()));
    const late = await app.as(vendor).post(`/imports/${String(body.importId)}/cancel`);
    expect(outcomeOf(late)).toBe('409 import-not-cancellable');
  },
  async retryImport({ app, vendor }) {
    const { body } = await app.importPackage(vendor, zipOf({ app }, randomUUID()));
    const late = await app.as('operator').post(`/operations/imports/${String(body.importId)}/retry`);
    expect(outcomeOf(late)).toBe('409 import-not-retryable');
  },
  async dismissImport({ app, vendor }) {
    const { body } = await app.importPackage(vendor, zipOf({ app }, randomUUID()));
    const late = await app.as('operator').post(`/operations/imports/${String(body.importId)}/dismiss`);
    expect(outcomeOf(late)).toBe('409 import-not-failed');
  },
  async decideReview({ app }) {
    const { report, decide } = await makeReviewedModule(app);
    const id = String((await report()).body.id);
    await decide(id);
    expect(outcomeOf(await decide(id))).toBe('409 review-decided');
  },
  async acceptInvitation({ app, farmer }) {
    const { id, secret } = await invite(app, farmer);
    await app.as(farmer).delete(`/invitations/${id}`);
    expect(outcomeOf(await accept(app, randomUUID(), secret))).toBe('404 not-found');
  },
  async deleteInvitation({ app, farmer }) {
    const { id, secret } = await invite(app, farmer);
    expect((await accept(app, randomUUID(), secret)).status).toBe(200);
    expect(outcomeOf(await app.as(farmer).delete(`/invitations/${id}`))).toBe('404 not-found');
  },
  // A definition that the values still fit makes the same rule before its release and after it.
  async createAlertRule(service) {
    const { app, farmer } = service;
    const moduleId = await definedModule(service);
    const early = await app.as(farmer).post('/alertRules', { moduleId, ...RULE });
    await defineAnew(service, moduleId, 40);
    const late = await app.as(farmer).post('/alertRules', { moduleId, ...RULE });
    const { body } = await app.as(farmer).get(`/alertRules/${String(early.body.id)}`);
    expect(late.body).toMatchObject({ status: 'active', definitionRevision: 2, values: RULE.values });
    expect(body).toMatchObject({ status: 'active', definitionRevision: 2, values: RULE.values });
    await defineAnew(service, moduleId, 20);
    expect(outcomeOf(await app.as(farmer).post('/alertRules', { moduleId, ...RULE }))).toBe(
      '400 request-invalid',
    );
  },
  async writeAlertRule(service) {
    const { app, farmer } = service;
    const moduleId = await definedModule(service);
    const path = `/alertRules/${String((await app.as(farmer).post('/alertRules', { moduleId, ...RULE })).body.id)}`;
    await defineAnew(service, moduleId, 20);
    expect(outcomeOf(await app.as(farmer).put(path, RULE))).toBe('400 request-invalid');
    expect((await app.as(farmer).get(path)).body).toMatchObject({ status: 'outdated', values: RULE.values });
    await app.as(farmer).delete(path);
    expect(outcomeOf(await app.as(farmer).put(path, RULE))).toBe('404 not-found');
  },
  // Both are administrators when the pages of both show the other one.
  async deleteMember({ app }) {
    const vendor = await app.organization();
    const [first, second] = [person(app, vendor), person(app, vendor)];
    for (const { subject } of [first, second]) await app.as(vendor).put(`/members/${subject}`, ADMIN);
    const [asFirst, asSecond] = [await first.caller(), await second.caller()];
    const removals = [
      asFirst.delete(`/members/${second.subject}`),
      asSecond.delete(`/members/${first.subject}`),
    ];
    const outcomes = (await Promise.all(removals)).map(outcomeOf);
    const refusal = expect.stringMatching(/^(?:403 auth-forbidden|409 last-administrator)$/) as string;
    expect(outcomes.toSorted()).toEqual(['204', refusal]);
    expect(await keptOf(app, vendor)).toHaveLength(1);
  },
  async deleteOrganization({ app, vendor: { tenantId } }) {
    const vendor = await app.organization({ tenantId });
    const moduleId = await importSample(app, vendor);
    await install(app, await app.organization({ kind: 'farmer', tenantId }), moduleId);
    const late = await app.as('operator').delete(`/organizations/${vendor.id}`);
    expect(outcomeOf(late)).toBe('409 organization-in-use');
  },
  async deleteScope({ app, vendor }) {
    const scope = `scope-${randomUUID()}`;
    await importSample(app, vendor, { descriptor: { scope } });
    const late = await app.as('operator').delete(`/operations/scopes/${vendor.tenantId}/${scope}`);
    expect(outcomeOf(late)).toBe('409 scope-in-use');
  },
  async testWebhook({ app, vendor }) {
    const { path } = await makeWebhook(app, vendor, 'https://hooks.example.com/');
    await app.as(vendor).patch(path, { status: 'paused' });
    expect(outcomeOf(await app.as(vendor).post(`${path}/test`))).toBe('409 webhook-not-enabled');
  },
  async testOperatorWebhook({ app }) {
    const asOperator = app.as('operator');
    const { body } = await asOperator.post('/operations/webhooks', { url: 'https://hooks.example.com/' });
    const path = `/operations/webhooks/${String(body.id)}`;
    await asOperator.patch(path, { status: 'paused' });
    expect(outcomeOf(await asOperator.post(`${path}/test`))).toBe('409 webhook-not-enabled');
  },
  async writeOrganizationGroups({ app }) {
    const path = `/organizations/${(await app.organization()).id}/groups`;
    const lists = ['a', 'b'].map((name) =>
      ['OrganizationAdmin', 'OrganizationMember'].map((role) => ({ group: `${name}-${role}`, role })),
    );
    const put = (items: unknown) => app.as('operator').put(path, { items });
    await oneOf(lists, put, async () => (await app.as('operator').get(path)).body.items as unknown);
  },
  async writeTrustedPublishers({ app, vendor }) {
    const path = `/trustedPublishers/${await publishingModule(app, vendor, 'https://token.actions.githubusercontent.com')}`;
    const read = async () => (await app.as(vendor).get(path)).body.items as unknown;
    const put = (items: unknown) => app.as(vendor).put(path, { items });
    await oneOf([await read(), []], put, read);
  },
  async writeNotificationSettings({ app, farmer }) {
    const organizations = [{ id: farmer.id, roles: ['OrganizationMember'] }];
    const claims = { email: 'fiona@farm.example', email_verified: true };
    const own = app.as(farmer, await app.bearer({ organizations, claims }));
    const put = (settings: unknown) => own.put('/notificationSettings', settings);
    const wishes = ['none', 'digest'].map((mail) => {
      const wish = { mail, push: 'none' };
      return { info: wish, warning: wish, critical: wish, language: 'de', quietHours: null };
    });
    await oneOf(wishes, put, async () => {
      const { body } = await own.get('/notificationSettings');
      const { address, mail, bounce, pushKey, ...settings } = body as Record<string, unknown>;
      expect([address, mail, bounce, pushKey]).toEqual([claims.email, 'off', null, expect.any(String)]);
      return settings;
    });
  },
  async deprecateModule({ app, vendor }) {
    const moduleId = await importSample(app, vendor);
    const advice = [
      { message: 'Old.' },
      { message: 'Bad.', successorModuleId: await importSample(app, vendor) },
    ];
    const put = (each: unknown) => app.as(vendor).post(`/modules/${moduleId}/deprecate`, each);
    const read = async () => {
      const { body } = await app.as(vendor).get(`/modules/${moduleId}/releases`);
      const { message, successorModuleId } = body.deprecation as Record<string, unknown>;
      return { message, ...(successorModuleId !== null && { successorModuleId }) };
    };
    await oneOf(advice, put, read);
  },
  async writeOrganizationLimits({ app }) {
    const { id } = await app.organization();
    const path = `/operations/organizations/${id}/limits`;
    const written = [
      { maxImportsPerMinute: 5, maxApiKeysPerModule: 6 },
      { maxImportsPerMinute: 7, maxWebhooksPerModule: 8 },
    ];
    const put = (each: object) => app.as('operator').put(path, each);
    const read = async () => (await app.as('operator').get(path)).body.own as Record<string, unknown>;
    await oneOf(written, put, read);
  },
  async writeSuspension({ app }) {
    const { id } = await app.organization();
    const written = [
      { reason: 'Unpaid.', farmersKeepAccess: true },
      { reason: 'Taken over.', farmersKeepAccess: false },
    ];
    const put = (each: object) => app.as('operator').put(`/operations/organizations/${id}/suspension`, each);
    const read = async () => {
      const { suspension } = (await app.as('operator').get(`/organizations/${id}`)).body;
      const { reason, farmersKeepAccess } = suspension as Record<string, unknown>;
      return { reason, farmersKeepAccess };
    };
    await oneOf(written, put, read);
  },
  async writeOrganization({ app }) {
    const { id, tenantId } = await app.organization({ kind: 'farmer' });
    const fixed = { kind: 'farmer', tenantId };
    const written = [
      { name: 'North', countryCode: 'DE' },
      { name: 'South', countryCode: 'FR' },
    ];
    const put = (each: object) => app.as('operator').put(`/organizations/${id}`, { ...fixed, ...each });
    const read = async () => {
      const { name, countryCode } = (await app.as('operator').get(`/organizations/${id}`)).body as Record<
        string,
        unknown
      >;
      return { name, countryCode };
    };
    await oneOf(written, put, read);
  },
};

const NEED_A_PROOF: readonly Protection[] = ['If-Match', 'revision', 'state', 'whole'];

test('every call that changes something says what protects the person who saw an earlier state', () => {
  const calls = ENDPOINTS.filter(({ method }) => method !== 'get').map(({ id }) => id);
  expect(Object.keys(CALLS).toSorted()).toEqual(calls.toSorted());
  const unproven = Object.keys(CALLS).filter((id) => NEED_A_PROOF.includes(CALLS[id] ?? 'adds'));
  expect(Object.keys(PROOFS).toSorted()).toEqual(unproven.toSorted());
});

test.for(Object.entries(PROOFS))(
  '%s acts on what was seen, or is refused: the person saw one state, and the service has another',
  ([, prove], { app, vendor, farmer }) => prove({ app, vendor, farmer }),
);
