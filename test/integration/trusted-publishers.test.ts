import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { CI_CLAIMS } from '../support/ci-issuer.ts';
import { importSample } from '../support/import-sample.ts';
import { serviceTest } from '../support/service-test.ts';
import { startTestApp } from '../support/test-app.ts';

const test = serviceTest();

const GITHUB = 'https://token.actions.githubusercontent.com';
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`claim_${i}`, '1']));

const PUBLISHER = {
  issuer: GITHUB,
  audience: 'https://modules.example.com',
  claims: { ...CI_CLAIMS, run_attempt: 1, runner_trusted: true },
};
const OF_GITLAB = {
  project_id: '7',
  namespace_id: '8',
  ci_config_ref_uri: 'gitlab.com/acme/soil//.gitlab-ci.yml@refs/heads/main',
};

test('a list of publishers is stored as it was sent, and read by members', async ({ app, vendor }) => {
  const path = `/trustedPublishers/${await importSample(app, vendor)}`;
  expect((await app.as(vendor).get(path)).body).toEqual({ items: [] });
  const items = [PUBLISHER, { ...PUBLISHER, issuer: 'https://gitlab.com', claims: OF_GITLAB }];
  const answer = await app.as(vendor).put(path, { items });
  expect([answer.status, answer.body]).toEqual([200, { items }]);
  expect((await app.as(vendor, vendor.member).get(path)).body).toEqual({ items });
  expect((await app.as(vendor, vendor.member).put(path, { items })).status).toBe(403);
  expect((await app.as(vendor).put(path, { items: [] })).body).toEqual({ items: [] });
});

test('each change has an entry in the audit log; the same list has none', async ({ app, vendor }) => {
  const moduleId = await importSample(app, vendor);
  const path = `/trustedPublishers/${moduleId}`;
  for (const items of [[PUBLISHER], [PUBLISHER], []]) await app.as(vendor).put(path, { items });
  const { body } = await app.as(vendor).get('/auditLog');
  const entries = (body.items as { action: string; moduleId: string; details: object }[]).filter(
    (each) => each.moduleId === moduleId,
  );
  const claims = Object.fromEntries(
    Object.entries(PUBLISHER.claims).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
  const text = JSON.stringify({ audience: PUBLISHER.audience, claims, issuer: GITHUB });
  expect(entries.map(({ action, details }) => [action, details])).toEqual([
    ['trustedPublishers.changed', { before: [text], after: [] }],
    ['trustedPublishers.changed', { before: [], after: [text] }],
  ]);
});

test('an entry in the audit log stays short, however long the list is', async ({ app, vendor }) => {
  const moduleId = await importSample(app, vendor);
  const long = '"'.repeat(500);
  const claims = Object.fromEntries([...Object.keys(many(19)), 'sub'].map((name) => [name, long]));
  const items = Array.from({ length: 20 }, () => ({
    ...PUBLISHER,
    issuer: 'https://ci.example.com',
    claims,
  }));
  const path = `/trustedPublishers/${moduleId}`;
  for (const list of [items, items.slice(1)]) {
    expect((await app.as(vendor).put(path, { items: list })).status).toBe(200);
    const { body } = await app.as(vendor).get('/auditLog?limit=1');
    const { before, after } = body.items[0].details as Record<'before' | 'after', string[]>;
    expect(after).toHaveLength(list.length);
    for (const text of [...before, ...after]) expect(text).toMatch(/^\{.{999}…$/);
  }
});

test('a module of another organization, a deleted and an unknown one have no publishers', async ({
  app,
  vendor,
}) => {
  const other = await app.organization();
  const deleted = await importSample(app, vendor);
  await app.as(vendor).delete(`/modules/${deleted}`);
  for (const moduleId of [await importSample(app, other), deleted, randomUUID()]) {
    const path = `/trustedPublishers/${moduleId}`;
    expect((await app.as(vendor).get(path)).status).toBe(404);
    expect((await app.as(vendor).put(path, { items: [PUBLISHER] })).status).toBe(404);
  }
});

test.for<[string, object, string]>([
  ['without a claim', { claims: {} }, '/items/0/claims'],
  ['without a claim that identifies a repository', { claims: { ref: 'refs/heads/main' } }, '/items/0/claims'],
  ['whose identifying claim is empty', { claims: { repository_id: ' ' } }, '/items/0/claims'],
  ['whose identifying claim is a boolean', { claims: { repository_id: true } }, '/items/0/claims'],
  ['with a claim that is checked anyway', { claims: { repository_id: '1', aud: 'x' } }, '/items/0/claims'],
  [
    'with a claim that is an object',
    { claims: { repository_id: { a: '1' } } },
    '/items/0/claims/repository_id',
  ],
  ['with a claim that is a list', { claims: { repository_id: ['1'] } }, '/items/0/claims/repository_id'],
  ['with a claim that is null', { claims: { repository_id: null } }, '/items/0/claims/repository_id'],
  ['with a fraction', { claims: { repository_id: 1.5 } }, '/items/0/claims/repository_id'],
  ['with a number that JSON rounds', { claims: { repository_id: 2 ** 53 } }, '/items/0/claims/repository_id'],
  ['with a long claim', { claims: { repository_id: '1'.repeat(501) } }, '/items/0/claims/repository_id'],
  ['with too many claims', { claims: { repository_id: '1', ...many(20) } }, '/items/0/claims'],
  [
    'with the name of a prototype',
    { claims: JSON.parse('{"__proto__":"1","sub":"x"}') as object },
    '/items/0/claims',
  ],
  ['with another member', { secret: 'x' }, '/items/0/secret'],
  ['without an audience', { audience: '' }, '/items/0/audience'],
  ['with a long audience', { audience: 'a'.repeat(256) }, '/items/0/audience'],
  ['of plain http', { issuer: 'http://gitlab.example.com' }, '/items/0/issuer'],
  ['of this machine', { issuer: 'https://127.0.0.1' }, '/items/0/issuer'],
  ['of a metadata address', { issuer: 'https://169.254.169.254' }, '/items/0/issuer'],
  ['of a name of the local network', { issuer: 'https://postgres' }, '/items/0/issuer'],
  ['with a query in its issuer', { issuer: `${GITHUB}/?a=b` }, '/items/0/issuer'],
  ['with a fragment in its issuer', { issuer: `${GITHUB}/#a` }, '/items/0/issuer'],
  ['with a password in its issuer', { issuer: 'https://me:secret@gitlab.com' }, '/items/0/issuer'],
  ['whose issuer is not in its normal form', { issuer: 'https://GitLab.com:443' }, '/items/0/issuer'],
  ['whose issuer is not a URL', { issuer: 'gitlab.com' }, '/items/0/issuer'],
  ['with a NUL', { audience: 'a\0' }, '/items/0/audience'],
])('a publisher %s is refused', async ([, members, pointer], { app, vendor }) => {
  const moduleId = await importSample(app, vendor);
  const answer = await app
    .as(vendor)
    .put(`/trustedPublishers/${moduleId}`, { items: [{ ...PUBLISHER, ...members }] });
  expect(answer.status, answer.text).toBe(400);
  const pointers = (answer.body.errors as { pointer: string }[]).map((each) => each.pointer);
  expect(
    pointers.some((each) => each.startsWith(pointer)),
    answer.text,
  ).toBe(true);
  expect((await app.as(vendor).get(`/trustedPublishers/${moduleId}`)).body).toEqual({ items: [] });
});

const IDS = { repository_id: '74', repository_owner_id: '9' };
const { workflow_ref } = CI_CLAIMS;

test.for<[string, object, string]>([
  ['only the repository’s ID', { repository_id: '74' }, 'Add repository_owner_id, workflow_ref:'],
  ['names', { repository: 'acme/soil', workflow_ref }, 'gh api repos/acme/soil --jq'],
  ['names that a shell would read', { repository: '$(id)/x', workflow_ref }, 'gh api repos/OWNER/REPOSITORY'],
  ['its subject', { sub: 'repo:acme/soil:ref:refs/heads/main' }, 'repository_id, repository_owner_id'],
  [
    'a subject with hyphens',
    { sub: 'repo:acme-9/soil-74:ref:refs/heads/main', workflow_ref },
    'repository_id',
  ],
  ['IDs without a workflow', IDS, 'Add workflow_ref:'],
  ['the name of a workflow', { ...IDS, workflow: 'Import' }, 'Add workflow_ref:'],
  [
    'an ID that is a number',
    { ...CI_CLAIMS, repository_id: 74 },
    'repository_id must be a text such as "74"',
  ],
  ['a file alone', { ...IDS, workflow_ref: 'import.yml' }, `workflow_ref must be a text such as`],
  ['an event of strangers', { ...CI_CLAIMS, event_name: 'pull_request_target' }, 'are always refused'],
])(
  'a publisher at GitHub with %s is refused, with what to do',
  async ([, claims, advice], { app, vendor }) => {
    const path = `/trustedPublishers/${await importSample(app, vendor)}`;
    const answer = await app.as(vendor).put(path, { items: [{ ...PUBLISHER, claims }] });
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body.errors).toMatchObject([{ pointer: '/items/0/claims' }]);
    expect(answer.body.errors[0].detail).toContain(advice);
  },
);

test.for<[string, string, object]>([
  ['GitHub, with a subject that has IDs', GITHUB, { sub: 'repo:a@9/b@74:environment:x', workflow_ref }],
  ['GitHub, with a reusable workflow', GITHUB, { ...IDS, job_workflow_ref: workflow_ref }],
  ['GitHub, of an enterprise', `${GITHUB}/acme`, CI_CLAIMS],
  ['another service', 'https://ci.example.com', { sub: 'pipeline:soil' }],
])('a publisher of %s is accepted', async ([, issuer, claims], { app, vendor }) => {
  const path = `/trustedPublishers/${await importSample(app, vendor)}`;
  const items = [{ ...PUBLISHER, issuer, claims }];
  expect((await app.as(vendor).put(path, { items })).status).toBe(200);
});

test.for<[string, string, object, string]>([
  ['an enterprise of GitHub', `${GITHUB}/acme`, { repository_id: '74' }, 'gh api repos/'],
  [
    'GitHub with data residency',
    'https://token.actions.acme.ghe.com',
    { repository_id: '74' },
    'gh api --hostname acme.ghe.com repos/',
  ],
  [
    'a server of GitHub',
    'https://github.example.com/_services/token',
    { repository_id: '74' },
    'gh api --hostname github.example.com repos/',
  ],
  ['GitLab', 'https://gitlab.com', { project_id: '7', ref_path: 'refs/heads/main' }, 'glab api projects/'],
])(
  '%s requires the IDs of owner and repository, and the workflow, with the command that asks this installation',
  async ([, issuer, claims, command], { app, vendor }) => {
    const path = `/trustedPublishers/${await importSample(app, vendor)}`;
    const answer = await app.as(vendor).put(path, { items: [{ ...PUBLISHER, issuer, claims }] });
    expect([answer.status, answer.body.errors?.[0]?.pointer]).toEqual([400, '/items/0/claims']);
    expect(answer.text).toContain(`run: ${command}`);
  },
);

test('an issuer that is no URL is refused with what is wrong, also where it looks like one of GitHub', async ({
  app,
  vendor,
}) => {
  const path = `/trustedPublishers/${await importSample(app, vendor)}`;
  const items = [{ ...PUBLISHER, issuer: 'https://a:b:c/_services/token', claims: { repository_id: '74' } }];
  const answer = await app.as(vendor).put(path, { items });
  expect(answer.status, answer.text).toBe(400);
});

test('a module has at most twenty publishers', async ({ app, vendor }) => {
  const path = `/trustedPublishers/${await importSample(app, vendor)}`;
  const items = (count: number) => Array.from({ length: count }, () => PUBLISHER);
  expect((await app.as(vendor).put(path, { items: items(20) })).status).toBe(200);
  expect((await app.as(vendor).put(path, { items: items(21) })).status).toBe(400);
});

test('an operator may decide which issuers vendors may trust', async () => {
  const strict = await startTestApp({
    settings: { TRUSTED_PUBLISHING_ISSUERS: `${GITHUB}, https://gitlab.com` },
  });
  const vendor = await strict.organization();
  const path = `/trustedPublishers/${await importSample(strict, vendor)}`;
  expect((await strict.as(vendor).put(path, { items: [PUBLISHER] })).status).toBe(200);
  const other = await strict
    .as(vendor)
    .put(path, { items: [{ ...PUBLISHER, issuer: 'https://ci.example.com' }] });
  expect(other.body.errors).toMatchObject([
    {
      pointer: '/items/0/issuer',
      detail: `The operator allows only these issuers: ${GITHUB}, https://gitlab.com.`,
    },
  ]);
  await strict.stop();
});
