import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../api/app.ts';
import { createApplicationApp } from '../../api/applications/application-app.ts';
import { ENDPOINTS } from '../../api/endpoints.ts';
import { expressRoutes } from '../support/express-routes.ts';
import { makeModule } from '../support/machine-access.ts';
import type { TestModule } from '../support/caller.ts';
import { samplePackage } from '../support/sample-package.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';
import { startTestIssuer } from '../support/test-issuer.ts';

/** The allowed callers of an endpoint. */
type Access =
  | 'probe'
  | 'public'
  | 'anyToken'
  | 'operator'
  | 'anyMember'
  | 'vendorMember'
  | 'vendorAdmin'
  | 'farmerMember'
  | 'farmerAdmin'
  | 'adminOrOperator'
  | 'apiKey';

/** Every call of the service and its access. Paths are below /api/v8.0, except for the pages of the service itself. */
const TABLE: Readonly<Record<string, Access>> = {
  'POST /{orgId}/ImportModuleAsync': 'vendorAdmin',
  'GET /{orgId}/imports': 'vendorMember',
  'GET /{orgId}/imports/{importId}': 'vendorMember',
  'GET /{orgId}/imports/{importId}/events': 'vendorMember',
  'POST /{orgId}/imports/{importId}/cancel': 'vendorAdmin',
  'GET /{orgId}/modules': 'vendorMember',
  'GET /{orgId}/modules/{moduleId}': 'vendorMember',
  'DELETE /{orgId}/modules/{moduleId}': 'vendorAdmin',
  'PATCH /{orgId}/modules/{moduleId}': 'vendorAdmin',
  'GET /{orgId}/modules/{moduleId}/releases': 'vendorMember',
  'POST /{orgId}/modules/{moduleId}/withdraw': 'vendorAdmin',
  'POST /{orgId}/modules/{moduleId}/offer': 'vendorAdmin',
  'POST /{orgId}/modules/{moduleId}/deprecate': 'vendorAdmin',
  'GET /{orgId}/modules/{moduleId}/revisions': 'vendorMember',
  'GET /{orgId}/modules/{moduleId}/revisions/{revision}': 'vendorMember',
  'GET /{orgId}/modules/{moduleId}/revisions/{revision}/offer': 'vendorMember',
  'POST /{orgId}/modules/{moduleId}/revisions/{revision}/release': 'vendorAdmin',
  'PUT /{orgId}/modules/{moduleId}/revisions/{revision}/previewers': 'vendorAdmin',
  'GET /{orgId}/modules/{moduleId}/keyRequests': 'vendorMember',
  'GET /{orgId}/modules/{moduleId}/statistics': 'vendorMember',
  'DELETE /{orgId}/modules/{moduleId}/revisions/{revision}': 'vendorAdmin',
  'GET /{orgId}/modules/{moduleId}/files/{path}': 'vendorMember',
  'GET /{orgId}/ExportModuleAsync/{moduleId}': 'vendorAdmin',
  'POST /{orgId}/registerApiClient/{moduleId}': 'vendorAdmin',
  'GET /{orgId}/apiClients/{moduleId}': 'vendorMember',
  'DELETE /{orgId}/apiClients/{moduleId}/{clientId}': 'vendorAdmin',
  'POST /{orgId}/apiClients/{moduleId}/{clientId}/rotate': 'vendorAdmin',
  'POST /{orgId}/webhooks/{moduleId}': 'vendorAdmin',
  'GET /{orgId}/webhooks/{moduleId}': 'vendorMember',
  'GET /{orgId}/webhooks/{moduleId}/{webhookId}': 'vendorMember',
  'PATCH /{orgId}/webhooks/{moduleId}/{webhookId}': 'vendorAdmin',
  'DELETE /{orgId}/webhooks/{moduleId}/{webhookId}': 'vendorAdmin',
  'POST /{orgId}/webhooks/{moduleId}/{webhookId}/rotate': 'vendorAdmin',
  'POST /{orgId}/webhooks/{moduleId}/{webhookId}/test': 'vendorAdmin',
  'POST /{orgId}/webhooks/{moduleId}/{webhookId}/attempts/{attemptId}/resend': 'vendorAdmin',
  'GET /{orgId}/webhooks/{moduleId}/{webhookId}/attempts': 'vendorMember',
  'PUT /{orgId}/trustedPublishers/{moduleId}': 'vendorAdmin',
  'GET /{orgId}/trustedPublishers/{moduleId}': 'vendorMember',
  'GET /{orgId}/publisherClaims': 'vendorAdmin',
  'POST /trusted-publishing/token': 'public',
  'GET /publicationRecords/{moduleId}': 'public',
  'GET /{orgId}/auditLog': 'anyMember',
  'GET /{orgId}/usage': 'anyMember',
  'GET /{orgId}/export': 'farmerMember',
  'GET /Alerts/StructuresByModuleId/{moduleId}': 'apiKey',
  'GET /Alerts/RuleDefinitionsByModuleId/{moduleId}': 'apiKey',
  'GET /Alerts/RulesByModuleId/{moduleId}': 'apiKey',
  'GET /Alerts/ChangesByModuleId/{moduleId}': 'apiKey',
  'GET /Alerts/InstallationsByModuleId/{moduleId}': 'apiKey',
  'POST /Alerts/AlertsByModuleId/{moduleId}': 'apiKey',
  'POST /Alerts/ReportsByModuleId/{moduleId}': 'apiKey',
  'GET /{orgId}/structures': 'farmerMember',
  'PUT /{orgId}/structures': 'farmerAdmin',
  'DELETE /{orgId}/structures': 'farmerAdmin',
  'GET /{orgId}/availableModules': 'farmerMember',
  'GET /{orgId}/availableModules/{moduleId}': 'farmerMember',
  'GET /{orgId}/availableModules/{moduleId}/files/{path}': 'farmerMember',
  'GET /{orgId}/availableModules/{moduleId}/reports': 'farmerMember',
  'GET /{orgId}/availableModules/{moduleId}/reports/{reviewId}': 'farmerMember',
  'POST /{orgId}/availableModules/{moduleId}/reports': 'farmerAdmin',
  'GET /{orgId}/modules/{moduleId}/reviews': 'vendorMember',
  'POST /{orgId}/modules/{moduleId}/reviews/{reviewId}/answer': 'vendorAdmin',
  'GET /operations/reviews': 'operator',
  'POST /operations/reviews/{reviewId}/decide': 'operator',
  'GET /{orgId}/installations': 'farmerMember',
  'GET /{orgId}/installations/{moduleId}': 'farmerMember',
  'PUT /{orgId}/installations/{moduleId}': 'farmerAdmin',
  'DELETE /{orgId}/installations/{moduleId}': 'farmerAdmin',
  'GET /{orgId}/consents': 'farmerMember',
  'GET /{orgId}/dataReads': 'farmerMember',
  'GET /{orgId}/alerts': 'farmerMember',
  'POST /{orgId}/alerts/{alertId}/acknowledge': 'farmerAdmin',
  'GET /{orgId}/notificationSettings': 'farmerMember',
  'PUT /{orgId}/notificationSettings': 'farmerMember',
  'POST /{orgId}/pushSubscriptions': 'farmerMember',
  'GET /{orgId}/pushSubscriptions': 'farmerMember',
  'DELETE /{orgId}/pushSubscriptions/{subscriptionId}': 'farmerMember',
  'GET /notifications/{linkSecret}/unsubscribe': 'public',
  'POST /notifications/{linkSecret}/unsubscribe': 'public',
  'GET /{orgId}/alertRules': 'farmerMember',
  'POST /{orgId}/alertRules': 'farmerAdmin',
  'GET /{orgId}/alertRules/{ruleId}': 'farmerMember',
  'PUT /{orgId}/alertRules/{ruleId}': 'farmerAdmin',
  'DELETE /{orgId}/alertRules/{ruleId}': 'farmerAdmin',
  'GET /limits': 'public',
  'GET /CommonData': 'anyToken',
  'GET /CommonData/{set}': 'anyToken',
  'GET /ownOrganizations': 'anyToken',
  'GET /sessions': 'anyToken',
  'DELETE /sessions': 'anyToken',
  'DELETE /sessions/{sessionId}': 'anyToken',
  'GET /organizations': 'operator',
  'GET /organizations/{orgId}': 'operator',
  'PUT /organizations/{orgId}': 'operator',
  'DELETE /organizations/{orgId}': 'operator',
  'GET /organizations/{orgId}/groups': 'operator',
  'PUT /organizations/{orgId}/groups': 'operator',
  'GET /{orgId}/members': 'adminOrOperator',
  'PUT /{orgId}/members/{subject}': 'adminOrOperator',
  'DELETE /{orgId}/members/{subject}': 'adminOrOperator',
  'GET /{orgId}/invitations': 'adminOrOperator',
  'POST /{orgId}/invitations': 'adminOrOperator',
  'DELETE /{orgId}/invitations/{invitationId}': 'adminOrOperator',
  'POST /invitations/accept': 'anyToken',
  'GET /operations/imports': 'operator',
  'GET /operations/auditLog': 'operator',
  'POST /operations/imports/{importId}/retry': 'operator',
  'POST /operations/imports/{importId}/dismiss': 'operator',
  'POST /operations/imports/retry': 'operator',
  'PUT /operations/organizations/{orgId}/suspension': 'operator',
  'DELETE /operations/organizations/{orgId}/suspension': 'operator',
  'GET /operations/organizations/{orgId}/limits': 'operator',
  'PUT /operations/organizations/{orgId}/limits': 'operator',
  'POST /operations/modules/{moduleId}/quarantine': 'operator',
  'DELETE /operations/modules/{moduleId}/quarantine': 'operator',
  'GET /operations/modules': 'operator',
  'DELETE /operations/scopes/{tenantId}/{scope}': 'operator',
  'POST /operations/webhooks': 'operator',
  'GET /operations/webhooks': 'operator',
  'GET /operations/webhooks/{webhookId}': 'operator',
  'PATCH /operations/webhooks/{webhookId}': 'operator',
  'DELETE /operations/webhooks/{webhookId}': 'operator',
  'POST /operations/webhooks/{webhookId}/rotate': 'operator',
  'POST /operations/webhooks/{webhookId}/test': 'operator',
  'POST /operations/webhooks/{webhookId}/attempts/{attemptId}/resend': 'operator',
  'GET /operations/webhooks/{webhookId}/attempts': 'operator',
  'GET /operations/backlog': 'operator',
  'GET /operations/workers': 'operator',
  'GET /operations/usage': 'operator',
  'GET /operations/statistics': 'operator',
  'GET /livez': 'probe',
  'GET /readyz': 'probe',
  'GET /metrics': 'probe',
  'GET /cli': 'public',
  'GET /cli/modulectl.mjs': 'public',
  'GET /.well-known/oauth-protected-resource': 'public',
  'GET /openapi.json': 'public',
  'GET /docs': 'public',
  'GET /docs/{page}': 'public',
  'GET /schemas': 'public',
  'GET /schemas/{name}': 'public',
  'GET /problems': 'public',
  'GET /problems/{code}': 'public',
};

const BAD_TOKENS = [
  'none',
  'bad',
  'expired',
  'other issuer',
  'forged',
  'other audience',
  'alg none',
] as const;
const GOOD_TOKENS = ['member', 'admin', 'other organization', 'other kind', 'operator'] as const;
const KEYS = ['key of this module', 'key of another module', 'revoked key', 'malformed key'] as const;
const CREDENTIALS = [...BAD_TOKENS, ...GOOD_TOKENS, ...KEYS] as const;
type Credential = (typeof CREDENTIALS)[number];

/** Authorized: whatever else is wrong with the call, it is neither 401 nor 403 nor an internal error. */
const IN = 'in';
type Ending = typeof IN | 401 | 403;

/** The status for each credential by access; credentials that are not listed get 401. */
const STATUSES: Readonly<Record<Access, Readonly<Partial<Record<Credential, Ending>>>>> = {
  probe: Object.fromEntries(CREDENTIALS.map((each) => [each, IN])),
  public: Object.fromEntries(CREDENTIALS.map((each) => [each, IN])),
  anyToken: Object.fromEntries(GOOD_TOKENS.map((each) => [each, IN])),
  operator: { ...Object.fromEntries(GOOD_TOKENS.map((each) => [each, 403])), operator: IN },
  anyMember: { ...Object.fromEntries(GOOD_TOKENS.map((each) => [each, 403])), member: IN, admin: IN },
  vendorMember: { ...Object.fromEntries(GOOD_TOKENS.map((each) => [each, 403])), member: IN, admin: IN },
  vendorAdmin: { ...Object.fromEntries(GOOD_TOKENS.map((each) => [each, 403])), admin: IN },
  farmerMember: { ...Object.fromEntries(GOOD_TOKENS.map((each) => [each, 403])), member: IN, admin: IN },
  farmerAdmin: { ...Object.fromEntries(GOOD_TOKENS.map((each) => [each, 403])), admin: IN },
  adminOrOperator: {
    ...Object.fromEntries(GOOD_TOKENS.map((each) => [each, 403])),
    admin: IN,
    operator: IN,
  },
  apiKey: { 'key of this module': IN, 'key of another module': 403 },
};

let app: TestApp;
let vendor: TestOrganization;
let farmer: TestOrganization;
let module: TestModule;
let headers: Readonly<Record<'vendor' | 'farmer', Readonly<Record<Credential, Record<string, string>>>>>;

/** A token that claims that it needs no signature. */
function unsigned(organizationId: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = {
    iss: app.issuer.url,
    aud: 'module-import-service',
    sub: 'tester',
    exp: Math.floor(Date.now() / 1_000) + 3_600,
    roles: ['operator'],
    organizations: [{ id: organizationId, roles: ['OrganizationAdmin'] }],
  };
  return `${part({ alg: 'none' })}.${part(claims)}.`;
}

async function credentials(own: TestOrganization, otherKind: TestOrganization) {
  const organizations = [{ id: own.id, roles: ['OrganizationAdmin'] }];
  const admin = { organizations, operator: true };
  const stranger = await startTestIssuer();
  const other = await makeModule(app, vendor);
  const revoked = await makeModule(app, vendor);
  const { body } = await app.as(vendor).get(`/apiClients/${revoked.moduleId}`);
  await app.as(vendor).delete(`/apiClients/${revoked.moduleId}/${String(body.items[0].clientId)}`);
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  const made: Record<Credential, Record<string, string>> = {
    none: {},
    bad: bearer('no.token.atall'),
    expired: bearer(await app.issuer.token({ ...admin, expiresIn: -600 })),
    'other issuer': bearer(await stranger.token(admin)),
    forged: bearer(await stranger.token({ ...admin, issuer: app.issuer.url })),
    'other audience': bearer(await app.issuer.token({ ...admin, audience: 'another-service' })),
    'alg none': bearer(unsigned(own.id)),
    member: { Authorization: own.member },
    admin: { Authorization: own.admin },
    'other organization': {
      Authorization: (await app.organization({ kind: own === vendor ? 'vendor' : 'farmer' })).admin,
    },
    'other kind': { Authorization: otherKind.admin },
    operator: { Authorization: await app.bearer({ operator: true }) },
    'key of this module': { 'X-Api-Key': module.key },
    'key of another module': { 'X-Api-Key': other.key },
    'revoked key': { 'X-Api-Key': revoked.key },
    'malformed key': { 'X-Api-Key': `${module.key.slice(0, -1)}!` },
  };
  await stranger.stop();
  return made;
}

beforeAll(async () => {
  app = await startTestApp({
    settings: { PORTAL_CLIENT_ID: 'module-portal', APP_HOST_ORIGINS: 'https://host.example' },
  });
  vendor = await app.organization();
  farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  module = await makeModule(app, vendor);
  headers = { vendor: await credentials(vendor, farmer), farmer: await credentials(farmer, vendor) };
});

afterAll(() => app.stop());

test('every call of the service is in the table, and every call of the table is one', () => {
  const calls = ENDPOINTS.map(
    ({ method, path }) => `${method.toUpperCase()} ${path.replace('/api/v8.0', '')}`,
  );
  expect(Object.keys(TABLE).toSorted()).toEqual(calls.toSorted());
});

const PAGES = /^\/(?:cli|\.well-known|livez|readyz|metrics|openapi\.json|docs|schemas|problems)/;

/** IDs of resources that do not exist, so that an authorized call removes nothing that the next one needs. */
function addressOf(path: string, access: Access): string {
  const values: Readonly<Record<string, string>> = {
    orgId: access === 'operator' ? randomUUID() : access.startsWith('farmer') ? farmer.id : vendor.id,
    moduleId: access === 'apiKey' ? module.moduleId : randomUUID(),
    set: 'languages',
    name: 'module-schema.json',
    code: 'not-found',
    path: 'ModuleToS/terms.md',
  };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? randomUUID());
  return PAGES.test(path) ? filled : `/api/v8.0${filled}`;
}

describe.each(Object.entries(TABLE))('%s', (call, access) =>
  test.each(CREDENTIALS)('%s', async (credential) => {
    const [method = '', path = ''] = call.split(' ');
    const side = access.startsWith('farmer') ? 'farmer' : 'vendor';
    const { status, text } = await app.fetch(addressOf(path, access), {
      method,
      headers: headers[side][credential],
      redirect: 'manual',
    });
    const expected = STATUSES[access][credential] ?? 401;
    if (expected === IN) {
      expect([401, 403], text).not.toContain(status);
      expect(status, text).toBeLessThan(500);
    } else expect(status, text).toBe(expected);
  }),
);

test.each(CREDENTIALS)('/ leads on whatever the credential: %s', async (credential) => {
  const answer = await fetch(app.url, { headers: headers.vendor[credential], redirect: 'manual' });
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/portal']);
});

/** Every route of the portal itself, and whether it needs the cookie of a session. */
const PORTAL: Readonly<Record<string, 'cookie' | 'public'>> = {
  'GET /portal/sign-in': 'public',
  'GET /portal/sign-in/callback': 'public',
  'POST /portal/sign-in/back-channel-logout': 'public',
  'GET /portal/session': 'public',
  'DELETE /portal/session': 'public',
  'GET /portal/media/{sha256}': 'cookie',
  'GET /portal/assets/{name}': 'public',
  'GET /portal/service-worker.js': 'public',
  'GET /portal/{{page}}': 'public',
};
/** Calls of the API under the portal's path, including a public one: all need the cookie. */
const BEHIND_PORTAL = [
  'GET /portal/api/limits',
  'GET /portal/api/organizations',
  'PUT /portal/api/{orgId}/structures',
];
const WITH_COOKIE = Object.keys(PORTAL).filter((call) => PORTAL[call] === 'cookie');

test('every route of the portal is in its table', () => {
  const routes = expressRoutes(createApp(app.api)).filter((route) => / \/portal\//.test(route));
  const own = routes.filter((route) => !route.includes(' /portal/api/'));
  expect(own.length).toBeLessThan(routes.length);
  expect([...new Set(own)].toSorted()).toEqual(Object.keys(PORTAL).toSorted());
});

describe.each([...WITH_COOKIE, ...BEHIND_PORTAL])(
  '%s accepts only the cookie of a session as a credential',
  (call) =>
    test.each(CREDENTIALS)('%s', async (credential) => {
      const [method = '', path = ''] = call.split(' ');
      const target = path.replace('{orgId}', farmer.id).replace('{sha256}', '0'.repeat(64));
      const { status, text } = await app.fetch(target, {
        method,
        headers: { ...headers.farmer[credential], Origin: app.url },
      });
      expect(status, text).toBe(401);
    }),
);

/** The routes of the queue dashboard. */
const DASHBOARD = ['GET /queues/api/queues', 'PUT /queues/api/queues/import-module/retry/failed'];

describe.each(DASHBOARD)('%s accepts only the cookie of a session as a credential', (call) =>
  test.each(CREDENTIALS)('%s', async (credential) => {
    const [method = '', path = ''] = call.split(' ');
    const { status, text } = await app.fetch(path, {
      method,
      headers: { ...headers.vendor[credential], Origin: app.url },
    });
    expect(status, text).toBe(401);
  }),
);

/** Every route of the origin of applications. Code that runs there has no use of a credential. */
const APPLICATIONS: Readonly<Record<string, 'public'>> = {
  'GET /{revision}/{path}': 'public',
};

test('every route of the origin of applications is in its table', () => {
  const routes = new Set(expressRoutes(createApplicationApp(app.api)));
  expect([...routes]).toEqual(Object.keys(APPLICATIONS));
});

describe.each([...Object.keys(APPLICATIONS), 'HEAD', 'GET current'])(
  '%s of the origin of applications',
  (call) =>
    test.each(CREDENTIALS)('takes no credential and sets no cookie: %s', async (credential) => {
      const revision = call.endsWith('current') ? 'current' : '1';
      const answer = await app.fetchApplication(module.moduleId, `/${revision}/index.html`, {
        method: call.split(' ')[0] ?? '',
        headers: { ...headers.vendor[credential], Cookie: 'session=x' },
      });
      expect(answer.status).toBe(revision === 'current' ? 302 : 200);
      expect(answer.headers.get('set-cookie')).toBeNull();
    }),
);

const NOT_FOUND = [404, '/problems/not-found'] as const;
const QUARANTINED = [403, '/problems/module-quarantined'] as const;
const PAGE = 'index.html';

/** Requests that are refused there with any credential: the module, its revision, the path, and the answer. */
const REFUSED: Readonly<
  Record<string, readonly [Refused, string, string, readonly [status: number, type: string]]>
> = {
  'a staged revision': ['staged', '2', PAGE, NOT_FOUND],
  'a revision of a module in quarantine': ['quarantined', '1', PAGE, QUARANTINED],
  'the current revision of a module in quarantine': ['quarantined', 'current', PAGE, QUARANTINED],
  'a deleted module': ['deleted', '1', PAGE, NOT_FOUND],
  'the current revision of a deleted module': ['deleted', 'current', PAGE, NOT_FOUND],
  'a file outside the build': ['released', '1', '..%2F..%2FModuleToS%2Fterms.md', NOT_FOUND],
  'the descriptor': ['released', '1', '..%2F..%2FmoduleSchema.json', NOT_FOUND],
};

type Refused = 'staged' | 'quarantined' | 'deleted' | 'released';

let refusedModules: Readonly<Record<Refused, string>>;

beforeAll(async () => {
  const make = async () => (await makeModule(app, vendor)).moduleId;
  const [staged, quarantined, deleted] = [await make(), await make(), await make()];
  const descriptor = { moduleId: staged, component: './Staged' };
  const next = samplePackage(app.api.catalogue, { descriptor });
  await app.importPackage(vendor, next, { query: '?release=staged' });
  await app
    .as('operator')
    .post(`/operations/modules/${quarantined}/quarantine`, { reason: 'It mines coins.' });
  await app.as(vendor).delete(`/modules/${deleted}`);
  refusedModules = { staged, quarantined, deleted, released: module.moduleId };
});

describe.each(Object.entries(REFUSED))(
  'the origin of applications refuses %s',
  (_name, [subject, revision, path, expected]) =>
    test.each(CREDENTIALS)('%s', async (credential) => {
      const answer = await app.fetchApplication(refusedModules[subject], `/${revision}/${path}`, {
        headers: headers.vendor[credential],
      });
      const { type } = (await answer.json()) as { type: string };
      expect([answer.status, type]).toEqual(expected);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': expect.stringMatching(/^frame-ancestors /) as string,
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
      });
      expect(answer.headers.get('set-cookie')).toBeNull();
    }),
);

/** The answers that each origin of a page may read there. */
const READERS: Readonly<Record<string, string | null>> = {
  'https://host.example': 'https://host.example',
  null: null,
  'https://host.example.evil.example': null,
  'http://host.example': null,
  'https://host.example:8443': null,
};

describe.each(Object.entries(READERS))('a page of %s', (origin, allowed) => {
  const call = async (method: string) => {
    const request = { method, headers: { Origin: origin } };
    const answer = await app.fetchApplication(module.moduleId, '/1/index.html', request);
    const read = (name: string) => answer.headers.get(`access-control-allow-${name}`);
    return { status: answer.status, origin: read('origin'), credentials: read('credentials') };
  };

  test(`reads files of applications: ${allowed !== null}`, async () => {
    expect(await call('GET')).toEqual({ status: 200, origin: allowed, credentials: null });
  });

  test(`may ask before: ${allowed !== null}`, async () => {
    expect(await call('OPTIONS')).toEqual({
      status: allowed === null ? 405 : 204,
      origin: allowed,
      credentials: null,
    });
  });
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
  '%s is no method of the origin of applications',
  async (method) => {
    const request = { method, headers: headers.vendor.operator };
    const answer = await app.fetchApplication(module.moduleId, '/1/index.html', request);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  },
);

const SERVICE_ONLY = [
  ...['/', '/portal', '/portal/session', '/portal/assets/portal.js', '/queues', '/docs', '/livez', '/readyz'],
  ...[
    '/metrics',
    '/openapi.json',
    '/problems/not-found',
    '/schemas/module-schema.json',
    '/cli/modulectl.mjs',
  ],
  ...['/api/v8.0/limits', '/api/v8.0/organizations', '/.well-known/oauth-protected-resource', '/sw.js'],
];

test.each(SERVICE_ONLY)('the origin of applications has no %s', async (path) => {
  const { operator } = headers.vendor;
  for (const host of ['127.0.0.1', 'modules.localhost', `${module.moduleId}.modules.localhost`]) {
    const answer = await app.fetchApplication(module.moduleId, path, {
      headers: { ...operator, Host: host },
    });
    expect(answer.status, host).toBe(404);
  }
});

test('the origin of the service has no file of an application', async () => {
  const answer = await fetch(`${app.url}/${module.moduleId}/1/index.html`, {
    headers: headers.vendor.admin,
    redirect: 'manual',
  });
  expect(answer.status).toBe(404);
});

test('only the portal and hosts embed an application, and two of them cannot become one origin', async () => {
  const { headers: found } = await app.fetchApplication(module.moduleId, '/1/index.html');
  expect(found.get('content-security-policy')).toMatch(/^frame-ancestors 'self' .* https:\/\/host\.example$/);
  expect(found.get('origin-agent-cluster')).toBe('?1');
});
