import { expect, test } from 'vitest';
import { ENDPOINTS } from '../../../api/endpoints.ts';
import { openApiDocument } from '../../../api/openapi/openapi-document.ts';

// The grammar of docs/api.md. What it does not cover is listed here by name: the contract has named it before.

interface Schema {
  readonly $ref?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string }[];
  readonly responses: Readonly<Record<string, Response>>;
}

interface Response {
  readonly headers?: Readonly<Record<string, { readonly required: boolean }>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Call extends Operation {
  readonly method: string;
  readonly path: string;
}

const DOCUMENT = JSON.parse(JSON.stringify(openApiDocument(ENDPOINTS))) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};
const SCHEMAS = DOCUMENT.components.schemas;
const CALLS: readonly Call[] = Object.entries(DOCUMENT.paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, operation]) => ({ ...operation, method, path })),
);

const resolved = (schema: Schema | undefined): Schema =>
  schema?.$ref === undefined ? (schema ?? {}) : resolved(SCHEMAS[schema.$ref.split('/').at(-1) ?? '']);
const bodyOf = ({ responses }: Operation) =>
  resolved(responses['200']?.content?.['application/json']?.schema);

test('what has an ETag is changed and deleted with If-Match', () => {
  const tagged = CALLS.filter(
    ({ method, responses }) => method === 'get' && responses['200']?.headers?.['ETag'] !== undefined,
  ).map(({ path }) => path);
  const writes = CALLS.filter(({ method, path }) => method !== 'get' && tagged.includes(path));
  expect(writes.length).toBeGreaterThan(3);
  for (const { operationId, parameters } of writes)
    expect([operationId, parameters.map(({ name }) => name)]).toEqual([
      operationId,
      expect.arrayContaining(['If-Match']),
    ]);
});

/** Documents about the service, and its health. */
const BASE = '/api/v8.0/';
const ADDRESSES: readonly string[] = [
  ...['Alerts', 'CommonData', 'ImportModuleAsync', 'ExportModuleAsync', 'trusted-publishing'],
  ...['StructuresByModuleId', 'RuleDefinitionsByModuleId', 'RulesByModuleId', 'AlertsByModuleId'],
  ...['ReportsByModuleId', 'InstallationsByModuleId', 'ChangesByModuleId'],
];

test('addresses are names in camelCase and IDs in braces', () => {
  const segments = CALLS.filter(({ path }) => path.startsWith(BASE)).flatMap(({ path }) =>
    path.slice(BASE.length).split('/'),
  );
  const others = segments.filter((each) => !/^(?:[a-z][A-Za-z]*|\{[a-z][A-Za-z]*\})$/.test(each));
  expect([...new Set(others)].toSorted()).toEqual(ADDRESSES.toSorted());
});

/** The contract names these addresses of what belongs to a module. */
const BESIDE_MODULES: readonly string[] = [
  ...['ExportModuleAsync', 'registerApiClient', 'apiClients', 'webhooks', 'trustedPublishers'],
  ...['publicationRecords', 'installations', 'availableModules'],
];

test('the ID of an object follows its collection, and that of a module follows `modules`', () => {
  const beforeIds = CALLS.filter(({ path }) => path.startsWith(BASE)).flatMap(({ path }) => {
    const segments = path.slice(BASE.length).split('/');
    return segments.slice(1).flatMap((id, index) => (id.startsWith('{') ? [[id, segments[index]]] : []));
  });
  const besideModules = beforeIds.filter(
    ([id, before = '']) => id === '{moduleId}' && before !== 'modules' && !before.endsWith('ByModuleId'),
  );
  expect(new Set(besideModules.map(([, before]) => before))).toEqual(new Set(BESIDE_MODULES));
  const collections: Readonly<Record<string, string>> = {
    importId: 'imports',
    invitationId: 'invitations',
    ruleId: 'alertRules',
    alertId: 'alerts',
    sessionId: 'sessions',
    attemptId: 'attempts',
    revision: 'revisions',
    subject: 'members',
    orgId: 'organizations',
  };
  for (const [id = '', before] of beforeIds) {
    const collection = collections[id.slice(1, -1)];
    if (collection !== undefined) expect([id, before]).toEqual([id, collection]);
  }
  expect(beforeIds.length).toBeGreaterThan(60);
});

/** The verbs of operations on objects, by method. */
const VERBS: Readonly<Record<string, RegExp>> = {
  get: /^(?:read|list)[A-Z]/,
  put: /^write[A-Z]/,
  patch: /^change[A-Z]/,
  delete: /^delete[A-Z]/,
};
/** What is neither made nor changes the state of one object. */
const OTHER_CALLS: Readonly<Record<string, string>> = {
  importModule: '/{orgId}/ImportModuleAsync',
  registerApiClient: '/{orgId}/registerApiClient/{moduleId}',
  exchangeToken: '/trusted-publishing/token',
  raiseAlerts: '/Alerts/AlertsByModuleId/{moduleId}',
  reportRules: '/Alerts/ReportsByModuleId/{moduleId}',
  exportOrganization: '/{orgId}/export',
  exportModule: '/{orgId}/ExportModuleAsync/{moduleId}',
};
const isOther = ({ operationId, path }: Call) =>
  `${BASE.slice(0, -1)}${OTHER_CALLS[operationId] ?? ''}` === path;

test('operation IDs start with the verb of their method, or with that of the state change', () => {
  const wrong = CALLS.filter((call) => {
    const { method, operationId, path } = call;
    if (isOther(call)) return false;
    if (method !== 'post') return VERBS[method]?.test(operationId) !== true;
    const last = path.split('/').at(-1) ?? '';
    return !operationId.startsWith('create') && !new RegExp(`^${last}[A-Z]`).test(operationId);
  });
  expect(wrong.map(({ operationId }) => operationId)).toEqual([]);
});

test('what makes something by POST is a create, and each 201 has its Location', () => {
  for (const { operationId, method, responses } of CALLS) {
    const made = responses['201'];
    if (made !== undefined)
      expect([operationId, made.headers?.['Location']?.required]).toEqual([operationId, true]);
    if (method === 'post')
      expect([operationId, made !== undefined]).toEqual([operationId, operationId.startsWith('create')]);
  }
});

test('all lists have items and nextCursor, and take cursor and limit', () => {
  for (const call of CALLS.filter(({ operationId }) => operationId.startsWith('list'))) {
    const { operationId, parameters } = call;
    expect([operationId, bodyOf(call).required]).toEqual([
      operationId,
      expect.arrayContaining(['items', 'nextCursor']),
    ]);
    const names = parameters.map(({ name }) => name);
    expect([operationId, names]).toEqual([operationId, expect.arrayContaining(['limit', 'cursor'])]);
  }
});

/** What identifies the items without an `id`: IDs of other objects, numbers and names. The contract names `importId`. */
const OTHER_IDENTITIES: Readonly<Record<string, readonly string[]>> = {
  listAllImports: ['importId'],
  listImports: ['importId'],
  listInstallations: ['moduleId'],
  listModuleInstallations: ['organizationId'],
  listMembers: ['subject'],
  listRevisions: ['revision'],
  listUsage: ['organizationId'],
  listCatalogueSets: ['key'],
  listProblems: ['code'],
  listSchemas: ['name'],
  listWorkers: ['name'],
};

test("an object's own ID in a list is `id`; other items are identified by what they belong to, or by a name", () => {
  const items = CALLS.filter(({ operationId }) => operationId.startsWith('list')).flatMap((call) => {
    const { properties = {}, required = [] } = resolved(bodyOf(call).properties?.['items']?.items);
    if ('id' in properties) return [];
    const identity = OTHER_IDENTITIES[call.operationId] ?? [];
    return [[call.operationId, identity.filter((name) => required.includes(name))]];
  });
  expect(Object.fromEntries(items)).toEqual(OTHER_IDENTITIES);
});

/** Members of documents whose form a standard gives (RFC 9728), and the schema of GeoJSON's `properties`. */
const OTHER_NAMES: readonly string[] = [
  ...['$ref', 'authorization_servers', 'bearer_methods_supported', 'client_id', 'request_parameters'],
  'resource_documentation',
];

/** Times of the contract, and of the standards that bodies follow. */
const OTHER_TIMES: readonly string[] = [...['at', 'expiresOn', 'lastUsedOn']];

function membersOf(schema: unknown): readonly (readonly [string, Schema])[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {} } = schema as Schema;
  return [...Object.entries(properties), ...Object.values(schema).flatMap(membersOf)];
}

test('members are in camelCase, and times end in At', () => {
  const members = membersOf({ SCHEMAS });
  const names = members.map(([name]) => name).filter((name) => !/^[a-z][A-Za-z0-9]*$/.test(name));
  expect([...new Set(names)].toSorted()).toEqual(OTHER_NAMES.toSorted());
  const isTime = ([, { format, anyOf }]: readonly [string, Schema]) =>
    format === 'date-time' || JSON.stringify(anyOf ?? null).includes('"date-time"');
  const times = members.filter(isTime).map(([name]) => name);
  expect(times.length).toBeGreaterThan(20);
  expect([...new Set(times.filter((name) => !/At$/.test(name)))].toSorted()).toEqual(OTHER_TIMES.toSorted());
});
