import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSession } from '../../../shared/db/access/sessions/sessions.ts';
import { newSession } from '../../support/session-cookie.ts';
import { exampleName } from '../../../api/openapi/operation-part.ts';
import { ENDPOINTS } from '../../../api/endpoints.ts';
import { archiveKeyOf } from '../../../shared/db/imports/archives.ts';
import { CI_AUDIENCE, CI_CLAIMS, startCiIssuer } from '../../support/ci-issuer.ts';
import { documentedOperation } from '../../support/documented-answer.ts';
import { areaIds, BOTH_AREAS, sampleFarm } from '../../support/machine-access.ts';
import { LOOPBACK_ISSUERS } from '../../support/publishing-module.ts';
import { asExample } from '../../support/recorded-example.ts';
import { SAMPLE_PUSH_KEYS } from '../../support/push-service.ts';
import { settingsWith } from '../../support/notified-farmer.ts';
import { samplePackage } from '../../support/sample-package.ts';
import { OPERATOR_OWNER } from '../../../shared/db/webhooks/operator-owner.ts';
import { startTestApp, type Answer, type TestApp, type TestOrganization } from '../../support/test-app.ts';

let app: TestApp;
let vendor: TestOrganization;
let farmer: TestOrganization;
let operator: string;

beforeAll(async () => {
  app = await startTestApp({
    worker: false,
    settings: {
      // As it is by default, for the example of the limits.
      MAX_REQUESTS_PER_SECOND_PER_ORGANIZATION: '',
      ...LOOPBACK_ISSUERS,
      CLI_CLIENT_ID: 'modulectl',
      PORTAL_CLIENT_ID: 'module-portal',
      APPS_ORIGIN: 'https://*.apps.example.com',
    },
  });
  vendor = await app.organization();
  farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  operator = await app.bearer({ operator: true });
});

afterAll(() => app.stop());

const recorded: Record<string, unknown> = {};

/** Keeps the bodies of a response and its request as the example of the call. */
function record(method: string, path: string, answer: Answer, body?: unknown): Answer {
  const operation = documentedOperation(method, new URL(path, app.url).pathname);
  if (operation === null) throw new Error(`${method} ${path} is not a call of the document`);
  expect(Object.keys(operation.answers), `${path}: ${answer.text}`).toContain(String(answer.status));
  const mediaType = answer.headers.get('content-type')?.split(';', 1)[0] ?? '';
  const shown = /[/+]json$/.test(mediaType) ? (answer.body as unknown) : answer.text;
  if (answer.text !== '') recorded[exampleName(operation.id, answer.status, mediaType)] ??= shown;
  if (body !== undefined) recorded[exampleName(operation.id, 'request', 'application/json')] ??= body;
  return answer;
}

interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

async function call(method: string, path: string, { body, headers = {} }: CallOptions = {}): Promise<Answer> {
  const answer = await app.fetch(path, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return record(method, path, answer, body);
}

type Caller = (method: string, path: string, options?: CallOptions) => Promise<Answer>;

function caller(base: string, headers: Readonly<Record<string, string>>): Caller {
  return (method, path, options = {}) =>
    call(method, `/api/v8.0${base}${path}`, { ...options, headers: { ...headers, ...options.headers } });
}

async function walkPlatform(): Promise<void> {
  await call('GET', '/livez');
  await call('GET', '/readyz');
  await call('GET', '/.well-known/oauth-protected-resource');
  await call('GET', '/schemas');
  await call('GET', '/problems/not-found', { headers: { Accept: 'application/json' } });
  const asOperator = caller('', { Authorization: operator });
  await asOperator('GET', '/limits');
  await asOperator('GET', '/CommonData');
  await asOperator('GET', '/CommonData/dataAreas');
  const body = { name: 'Green Fields', kind: 'farmer', tenantId: vendor.tenantId };
  const path = '/organizations/5f1b2c3d-0000-4000-8000-000000000009';
  await asOperator('PUT', path, { body });
  await asOperator('PUT', path, { body });
  await asOperator('GET', path);
  await asOperator('GET', '/organizations?limit=1');
  await asOperator('DELETE', path);
}

/** Lists and ends the sessions of the operator, who has signed in with a browser. */
async function walkSessions(): Promise<void> {
  const { database, encryptionKeys } = app.api;
  const browser = { browser: 'Firefox', operatingSystem: 'Windows' };
  const limits = { idleMinutes: 60, maxHours: 12 };
  await createSession(database, encryptionKeys, newSession(operator, browser), limits);
  const asOperator = caller('/sessions', { Authorization: operator });
  const { body } = await asOperator('GET', '');
  await asOperator('DELETE', `/${body.items[0].id}`);
  await asOperator('DELETE', '');
}

/** Imports a module; returns its ID. */
async function walkImports(asVendor: Caller): Promise<string> {
  const descriptor = { dataAreaIds: areaIds(app, BOTH_AREAS) };
  const path = `/api/v8.0/${vendor.id}/ImportModuleAsync`;
  const zip = samplePackage(app.api.catalogue, { descriptor });
  const queued = await app.importPackage(vendor, zip, { headers: { Prefer: 'respond-async' } });
  record('POST', path, queued);
  await asVendor('POST', `/imports/${queued.body.importId}/cancel`);
  await app.startWorker();
  const { body } = record('POST', path, await app.importPackage(vendor, zip));
  await asVendor('GET', `/imports/${body.importId}`);
  await asVendor('GET', `/imports/${body.importId}/events`);
  await asVendor('GET', '/imports?limit=1');
  const asOperator = caller('/operations', { Authorization: operator });
  await asOperator('GET', '/auditLog?limit=3');
  await asOperator('GET', '/backlog');
  await asOperator('GET', '/usage?limit=1');
  const statistics = await asOperator('GET', '/statistics');
  // An hour shows what all of them have.
  statistics.body.hours.length = 1;
  const workers = await asOperator('GET', '/workers');
  // Other tests on the same Redis have workers too.
  workers.body.items.length = 1;
  // The state after an internal error.
  const importId = body.importId as string;
  const ended = { outcome: null, moduleId: null, revision: null };
  const failed = {
    status: 'failed',
    failedAt: new Date(),
    failure: FAILURE,
    ...ended,
    archiveKey: archiveKeyOf(app.api.deploymentId, importId),
  };
  await app.api.database('imports').where({ id: body.importId }).update(failed);
  await asOperator('GET', '/imports?limit=1');
  await asOperator('POST', `/imports/${body.importId}/dismiss`);
  await asOperator('POST', '/imports/retry?step=reading');
  await asOperator('POST', `/imports/${body.importId}/retry`);
  return body.moduleId as string;
}

async function walkMembers(asVendor: Caller): Promise<void> {
  const asOperator = caller('', { Authorization: operator });
  const groups = `/organizations/${vendor.id}/groups`;
  await asOperator('PUT', groups, {
    body: { items: [{ group: '/vendors/acme/admins', role: 'OrganizationAdmin' }] },
  });
  await asOperator('GET', groups);
  // The list begins with the newest.
  await app.api.seenPeople.flush();
  const member = '/members/9d2f5c1e';
  await asVendor('PUT', member, { body: { roles: ['OrganizationMember'], name: 'Mara Member' } });
  await asVendor('PUT', member, { body: { roles: ['OrganizationAdmin'] } });
  await asVendor('GET', '/members');
  const body = { role: 'OrganizationMember', name: 'Ida Invited' };
  const invited = await asVendor('POST', '/invitations', { body });
  await asVendor('GET', '/invitations');
  await caller('', { Authorization: await app.bearer({ subject: 'f04c1b77' }) })(
    'POST',
    '/invitations/accept',
    { body: { secret: invited.body.secret as string } },
  );
}

/** Stages a revision, releases it to some and to everyone, withdraws and quarantines the module, and ends that. */
async function walkReleases(asVendor: Caller, moduleId: string): Promise<void> {
  const path = `/modules/${moduleId}`;
  const descriptor = { moduleId, component: 'next', dataAreaIds: areaIds(app, BOTH_AREAS) };
  const zip = samplePackage(app.api.catalogue, { descriptor });
  await asVendor('PATCH', path, { body: { releasePolicy: 'manual' } });
  await app.importPackage(vendor, zip);
  const organizationIds = ['5f1b2c3d-0000-4000-8000-000000000009'];
  await asVendor('PUT', `${path}/revisions/2/previewers`, { body: { organizationIds } });
  await asVendor('GET', `${path}/revisions/2`);
  await asVendor('GET', `${path}/revisions/2/offer`);
  await asVendor('POST', `${path}/revisions/2/release`, { body: { organizationIds, percent: 20 } });
  await asVendor('POST', `${path}/withdraw`, { body: { reason: 'Sensors of 2019 are no longer read.' } });
  await asVendor('POST', `${path}/deprecate`, { body: { message: 'Install its successor.' } });
  await asVendor('GET', `${path}/releases`);
  await asVendor('POST', `${path}/deprecate`, { body: { message: null } });
  await asVendor('POST', `${path}/offer`);
  await asVendor('POST', `${path}/revisions/2/release`);
  const asOperator = caller('/operations', { Authorization: operator });
  const body = { reason: 'It sends what farmers type to another server.' };
  await asOperator('POST', `/modules/${moduleId}/quarantine`, { body });
  await asOperator('GET', '/modules?quarantined=true');
  await asOperator('DELETE', `/modules/${moduleId}/quarantine`);
  const suspension = `/organizations/${vendor.id}/suspension`;
  const unpaid = { reason: 'Invoices of March are not paid.', farmersKeepAccess: true };
  await asOperator('PUT', suspension, { body: unpaid });
  await asOperator('DELETE', suspension);
  const limits = `/organizations/${vendor.id}/limits`;
  await asOperator('PUT', limits, { body: { maxImportsPerMinute: 60 } });
  await asOperator('GET', limits);
  await asOperator('PUT', limits, { body: {} });
  const named = { descriptor: { scope: 'fieldWatch' } };
  const renamed = await app.importPackage(vendor, samplePackage(app.api.catalogue, named));
  await asVendor('DELETE', `/modules/${String(renamed.body.moduleId)}?purge=true`);
  await asOperator('DELETE', `/scopes/${vendor.tenantId}/fieldWatch`);
}

async function walkVendor(asVendor: Caller, moduleId: string): Promise<string> {
  await asVendor('GET', '/modules');
  await asVendor('GET', `/modules/${moduleId}`);
  await asVendor('GET', `/modules/${moduleId}/revisions`);
  await caller('/publicationRecords', {})('GET', `/${moduleId}`);
  await asVendor('GET', `/modules/${moduleId}/statistics?days=1`);
  await walkReleases(asVendor, moduleId);
  const body = { clientName: 'Back end' };
  const made = await asVendor('POST', `/registerApiClient/${moduleId}`, { body });
  await asVendor('GET', `/apiClients/${moduleId}`);
  const client = `/apiClients/${moduleId}/${made.body.clientId}`;
  const rotated = await asVendor('POST', `${client}/rotate`, { body: { overlapSeconds: 3_600 } });
  const headers = { 'X-Api-Key': rotated.body.clientSecret as string };
  await app.fetch(`/api/v8.0/Alerts/StructuresByModuleId/${moduleId}`, { headers });
  await app.api.keyRequests.flush();
  await asVendor('GET', `/modules/${moduleId}/keyRequests`);
  await asVendor('GET', '/auditLog?limit=3');
  await asVendor('GET', '/usage');
  await caller('/ownOrganizations', { Authorization: vendor.admin })('GET', '');
  return rotated.body.clientSecret as string;
}

/** Registers a webhook, and has a test event sent to it. */
async function walkWebhooks(as: Caller, list: string, moduleId: string, settings: object): Promise<void> {
  const url = 'https://hooks.example.com/modules';
  const made = await as('POST', list, { body: { url, ...settings } });
  const path = `${list}/${made.body.id}`;
  const { database } = app.api;
  // Nothing is called but this machine.
  const callAt = async (address: string) => {
    await database('webhooks').where({ id: made.body.id }).update({ url: address });
  };
  await callAt('http://127.0.0.1:9/');
  const sent = await as('POST', `${path}/test`);
  await expect.poll(() => database('webhook_attempts').where({ webhookId: made.body.id })).toHaveLength(1);
  await database('webhook_attempts')
    .where({ eventId: sent.body.eventId })
    .update({ status: 204, error: null, durationMs: 38 });
  await callAt(url);
  await as('GET', `${path}/attempts`);
  await as('PATCH', path, { body: { status: 'paused' } });
  // As if a change had been sent, and not a test.
  const { eventId } = sent.body as { eventId: string };
  await database('changes').insert({
    id: eventId,
    moduleId,
    type: 'import.ended',
    at: 'now()',
    subject: '{}',
  });
  const { id: attemptId } = await database('webhook_attempts').where({ eventId }).first<{ id: string }>('id');
  await as('POST', `${path}/attempts/${attemptId}/resend`);
  await as('POST', `${path}/rotate`, { body: { overlapSeconds: 86_400 } });
  await as('GET', path);
  await as('GET', list);
  await as('DELETE', path);
  await database('changes').where({ id: eventId }).delete();
}

/** Trusts the repository of an issuer, and exchanges its token. */
async function walkPublishing(asVendor: Caller, moduleId: string): Promise<void> {
  const issuer = await startCiIssuer();
  const body = { items: [{ issuer: issuer.url, audience: CI_AUDIENCE, claims: CI_CLAIMS }] };
  await asVendor('PUT', `/trustedPublishers/${moduleId}`, { body });
  await asVendor('GET', `/trustedPublishers/${moduleId}`);
  issuer.answer = (_request, response) => {
    const names = { path_with_namespace: 'acme/soil', default_branch: 'main' };
    response.end(JSON.stringify({ ...names, id: 20, namespace: { id: 72 } }));
  };
  await asVendor('GET', `/publisherClaims?issuer=${encodeURIComponent(issuer.url)}&repository=acme/soil`);
  issuer.answer = null;
  await caller('', {})('POST', '/trusted-publishing/token', {
    body: { token: await issuer.token(), moduleId },
  });
  await issuer.stop();
}

/** A failed import as an operator reads it. */
const FAILURE = JSON.stringify({
  step: 'reading',
  cause: 'TimeoutError: no answer from the storage ← Error ECONNREFUSED: connect ECONNREFUSED 10.0.0.7:9000',
  attempts: 131,
  firstAt: '2027-11-20T09:30:00.000Z',
  lastAt: '2027-11-20T10:30:04.000Z',
});

const FORMS = ['application/json', 'application/x-ndjson', 'application/geo+json'];

/** Reports a module, decides about the report, and answers. */
async function walkReview(asFarmer: Caller, moduleId: string): Promise<void> {
  const report = { reason: 'security', text: 'It sends what we type to another server.' };
  const { id } = (await asFarmer('POST', `/availableModules/${moduleId}/reports`, { body: report })).body;
  const asOperator = caller('/operations', { Authorization: operator });
  await asOperator('GET', '/reviews');
  const decision = { decision: 'upheld', reason: 'The application calls another server.' };
  await asOperator('POST', `/reviews/${id}/decide`, { body: decision });
  await asFarmer('GET', `/availableModules/${moduleId}/reports`);
  await asFarmer('GET', `/availableModules/${moduleId}/reports/${id}`);
  const asVendor = caller(`/${vendor.id}/modules/${moduleId}`, { Authorization: vendor.admin });
  await asVendor('POST', `/reviews/${id}/answer`, { body: { text: 'Revision 2 calls only ours.' } });
  await asVendor('GET', '/reviews');
}

/** Stores a farm and a rule; returns their IDs. */
async function walkFarmer(moduleId: string): Promise<{ farmId: string; ruleId: string }> {
  const asFarmer = caller(`/${farmer.id}`, { Authorization: farmer.admin });
  const farm = sampleFarm();
  await asFarmer('PUT', '/structures', { body: { farms: [farm] } });
  for (const Accept of FORMS) await asFarmer('GET', '/structures', { headers: { Accept } });
  await asFarmer('GET', '/availableModules');
  const offer = await asFarmer('GET', `/availableModules/${moduleId}`);
  const headers = { 'If-Match': offer.headers.get('etag') ?? '' };
  const body = { acceptedDataAreaIds: areaIds(app, BOTH_AREAS) };
  await asFarmer('PUT', `/installations/${moduleId}`, { body, headers });
  await asFarmer('PUT', `/installations/${moduleId}`, { body, headers });
  await asFarmer('GET', '/installations');
  await asFarmer('GET', `/installations/${moduleId}`);
  await asFarmer('GET', '/consents');
  await walkReview(asFarmer, moduleId);
  const rule = { criteria: 'temperature', values: { operator: 'lt', value: 2 }, name: 'Frost' };
  const made = await asFarmer('POST', '/alertRules', { body: { moduleId, ...rule } });
  await asFarmer('PUT', `/alertRules/${made.body.id}`, { body: { ...rule, enabled: true } });
  await asFarmer('GET', `/alertRules/${made.body.id}`);
  await asFarmer('GET', '/alertRules');
  return { farmId: farm.id, ruleId: made.body.id as string };
}

/** What the module has read of the farmer. */
async function walkDataReads(): Promise<void> {
  await app.api.dataReads.flush();
  await caller(`/${farmer.id}`, { Authorization: farmer.admin })('GET', '/dataReads');
}

async function walkModule(moduleId: string, key: string, farmId: string, ruleId: string): Promise<void> {
  const asModule = caller('/Alerts', { 'X-Api-Key': key });
  for (const Accept of FORMS)
    await asModule('GET', `/StructuresByModuleId/${moduleId}`, { headers: { Accept } });
  await asModule('GET', `/RuleDefinitionsByModuleId/${moduleId}`);
  await asModule('GET', `/RulesByModuleId/${moduleId}`);
  await asModule(
    'GET',
    `/ChangesByModuleId/${moduleId}?cursor=0&limit=2&types=installation.created,rule.created`,
  );
  const alert = {
    ruleId,
    target: { type: 'farm', id: farmId },
    status: 'firing',
    severity: 'warning',
    startsAt: '2027-11-20T09:30:00.000Z',
    title: 'Frost',
    message: 'Two degrees at two metres.',
    value: 1.5,
    labels: { sensor: 'north' },
  };
  await asModule('GET', `/InstallationsByModuleId/${moduleId}`);
  const raised = await asModule('POST', `/AlertsByModuleId/${moduleId}`, { body: { alerts: [alert] } });
  await asModule('POST', `/ReportsByModuleId/${moduleId}`, { body: { ruleIds: [ruleId] } });
  const asFarmer = caller(`/${farmer.id}`, { Authorization: farmer.admin });
  await asFarmer('GET', '/alerts');
  await asFarmer('POST', `/alerts/${raised.body.results[0].id}/acknowledge`);
  const quietHours = { from: '22:00', to: '06:00', timeZone: 'Europe/Berlin' };
  const member = await app.bearer({
    organizations: [{ id: farmer.id, roles: ['OrganizationMember'] }],
    claims: { email: 'fiona@example.com', email_verified: true },
  });
  const asMember = caller(`/${farmer.id}`, { Authorization: member });
  const settings = settingsWith({
    info: { mail: 'none' },
    warning: { mail: 'digest', push: 'immediate' },
    quietHours,
  });
  await asMember('PUT', '/notificationSettings', { body: settings });
  await asMember('GET', '/notificationSettings');
  const subscription = {
    ...{ endpoint: 'https://push.example.com/send/kM3xT0', expirationTime: null, language: 'de' },
    // Of RFC 8291, appendix A.
    keys: SAMPLE_PUSH_KEYS,
  };
  const subscribed = await asMember('POST', '/pushSubscriptions', { body: subscription });
  await asMember('GET', '/pushSubscriptions');
  await asMember('DELETE', `/pushSubscriptions/${subscribed.body.id}`);
}

/** Reads the whole audit log of an organization that has one entry. */
async function walkAuditForms(): Promise<void> {
  const { id, admin } = await app.organization();
  const asMember = caller(`/${id}`, { Authorization: admin });
  for (const Accept of ['application/x-ndjson', 'text/csv'])
    await asMember('GET', '/auditLog', { headers: { Accept } });
}

/** Whole documents, which are shown elsewhere, and content that is not text. */
const NO_EXAMPLE = [
  /^(?:readOpenApi|readSchema|listProblems|readMetrics) /,
  // It changes with each build.
  /^readCommandLinePage /,
  /(?:text\/html|text\/javascript|application\/zip|\*\/\*)$/,
  /^readReadiness 503/,
  // It ends when the key does.
  /^readModuleChanges 200 text\/event-stream$/,
];

test('the examples of the document are the responses of one walk through every call', async () => {
  await walkPlatform();
  await walkSessions();
  const asVendor = caller(`/${vendor.id}`, { Authorization: vendor.admin });
  const moduleId = await walkImports(asVendor);
  await walkMembers(asVendor);
  const key = await walkVendor(asVendor, moduleId);
  await walkWebhooks(asVendor, `/webhooks/${moduleId}`, moduleId, {
    ...{ types: ['rule.created', 'rule.changed'], description: 'Irrigation back end' },
  });
  await walkPublishing(asVendor, moduleId);
  const { farmId, ruleId } = await walkFarmer(moduleId);
  await walkModule(moduleId, key, farmId, ruleId);
  await walkDataReads();
  const asOperator = caller('/operations', { Authorization: operator });
  await walkWebhooks(asOperator, '/webhooks', OPERATOR_OWNER.moduleId, {
    ...{ types: ['import.ended', 'module.quarantined'], description: 'Operations' },
  });
  await walkAuditForms();

  const wanted = ENDPOINTS.flatMap(({ id, answers }) =>
    Object.entries(answers).flatMap(([status, { forms = {} }]) =>
      Object.keys(forms).map((mediaType) => exampleName(id, Number(status), mediaType)),
    ),
  ).filter((name) => !NO_EXAMPLE.some((each) => each.test(name)));
  expect(Object.keys(recorded)).toEqual(expect.arrayContaining(wanted));
  const text = JSON.stringify(asExample(recorded), null, 2);
  await expect(`${text}\n`).toMatchFileSnapshot('../../../api/openapi/examples.json');
});
