import type { RequestListener } from 'node:http';
import { expect, onTestFinished } from 'vitest';
import { startCiIssuer, type CiIssuer } from '../support/ci-issuer.ts';
import { CliVendor } from '../support/cli-vendor.ts';
import { LOOPBACK_ISSUERS, publishingModule } from '../support/publishing-module.ts';
import { serviceTest } from '../support/service-test.ts';
import type { Answer, TestApp } from '../support/test-app.ts';

const test = serviceTest({ settings: LOOPBACK_ISSUERS });

type Claims = Readonly<Record<string, string>>;

async function newIssuer(): Promise<CiIssuer> {
  const issuer = await startCiIssuer();
  onTestFinished(() => issuer.stop());
  return issuer;
}

/** The API of a service that knows one repository. */
function apiOf(path: string, body: unknown, status = 200): RequestListener {
  return (request, response) => {
    const isKnown = request.url === path;
    response.writeHead(isKnown ? status : 404, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(isKnown ? body : { message: 'Not Found' }));
  };
}

const AT_GITHUB = { id: 74, owner: { id: 9 }, full_name: 'Acme/soil', default_branch: 'trunk' };
const AT_GITLAB = {
  id: 20,
  namespace: { id: 72 },
  path_with_namespace: 'acme/farm/soil',
  default_branch: 'main',
};

/** Asks as a new organization: the calls of each are limited. */
async function find(app: TestApp, query: Claims): Promise<Answer> {
  return app.as(await app.organization()).get(`/publisherClaims?${new URLSearchParams(query).toString()}`);
}

test('the IDs of a repository are found at an installation of GitHub, and the claims can be registered', async ({
  app,
  vendor,
}) => {
  const server = await newIssuer();
  const issuer = `${server.url}/_services/token`;
  server.answer = apiOf('/api/v3/repos/acme/soil', AT_GITHUB);
  const query = { issuer, repository: 'acme/soil', workflow: 'import.yml', environment: 'production' };
  const { status, body, text } = await find(app, query);
  expect(status, text).toBe(200);
  const ref = 'refs/heads/trunk';
  const ids = { repository_id: '74', repository_owner_id: '9' };
  const workflow_ref = `Acme/soil/.github/workflows/import.yml@${ref}`;
  expect(body).toEqual({ issuer, claims: { ...ids, workflow_ref, ref, environment: 'production' } });
  await publishingModule(app, vendor, issuer, body.claims as Claims);
});

test('the IDs of a project are found at an installation of GitLab', async ({ app }) => {
  const { url: issuer } = await newIssuer();
  const gitlab = await newIssuer();
  gitlab.answer = apiOf('/api/v4/projects/acme%2Ffarm%2Fsoil', AT_GITLAB);
  const query = { issuer: gitlab.url, repository: 'acme/farm/soil', branch: 'stable' };
  const ref = 'refs/heads/stable';
  const ci_config_ref_uri = `${new URL(gitlab.url).host}/acme/farm/soil//.gitlab-ci.yml@${ref}`;
  expect((await find(app, query)).body).toEqual({
    issuer: gitlab.url,
    claims: { project_id: '20', namespace_id: '72', ci_config_ref_uri, ref_path: ref },
  });
  expect((await find(app, { ...query, issuer })).status, 'a server that is no GitLab').toBe(404);
});

const PATH = '/api/v3/repos/acme/soil';
/** Answers of a service from which no IDs can be taken. */
const NO_ANSWERS: readonly (readonly [string, RequestListener, number])[] = [
  ['a private repository', apiOf('/other', {}), 404],
  ['a repository that moved', apiOf(PATH, { url: 'https://elsewhere' }, 301), 404],
  ['a page', (_request, response) => response.end('<!doctype html>'), 404],
  ['an ID that is a text', apiOf(PATH, { ...AT_GITHUB, id: '74' }), 404],
  ['no owner', apiOf(PATH, { ...AT_GITHUB, owner: null }), 404],
  ['a rate limit', apiOf(PATH, {}, 403), 503],
  ['an error', apiOf(PATH, {}, 500), 503],
  ['a broken connection', (request) => request.socket.destroy(), 503],
];

test.for(NO_ANSWERS)(
  'a service that answers with %s yields no claims, but the command that shows them',
  async ([, answer, status], { app }) => {
    const server = await newIssuer();
    server.answer = answer;
    const query = {
      issuer: `${server.url}/_services/token`,
      repository: 'acme/soil',
      workflow: 'import.yml',
    };
    const found = await find(app, query);
    expect([found.status, found.headers.has('retry-after')]).toEqual([status, status === 503]);
    expect(found.body.detail).toContain(
      `gh api --hostname ${new URL(server.url).host} repos/acme/soil --jq '{repository_id: (.id|tostring)`,
    );
  },
);

test('only a vendor’s administrator finds claims, and only at addresses that an issuer may have', async ({
  app,
  vendor,
}) => {
  const query = { repository: 'acme/soil', workflow: 'import.yml' };
  const as = app.as(vendor, vendor.member);
  expect((await as.get(`/publisherClaims?${new URLSearchParams(query).toString()}`)).status).toBe(403);
  const refused: readonly Claims[] = [
    ...['https://10.0.0.1', 'https://169.254.169.254', 'https://postgres', 'http://gitlab.com', 'x'].map(
      (issuer) => ({ ...query, issuer }),
    ),
    ...['soil', '../soil', 'acme/..', 'acme/soil?x', 'acme/soil/', 'a b/c'].map((repository) => ({
      ...{ ...query, repository },
    })),
    { repository: 'acme/soil' },
  ];
  for (const each of refused) {
    expect((await find(app, each)).status, JSON.stringify(each)).toBe(400);
  }
});

test('an organization may look for a few repositories in a minute; others are not held up', async ({
  app,
}) => {
  const vendor = await app.organization();
  const statuses: number[] = [];
  for (let i = 0; i < 11; i += 1)
    statuses.push((await app.as(vendor).get('/publisherClaims?repository=acme/soil&issuer=x')).status);
  expect(statuses).toEqual([...Array<number>(10).fill(400), 429]);
  expect((await find(app, { repository: 'acme/soil', issuer: 'x' })).status).toBe(400);
});

test('modulectl adds the runs of a repository to those that are trusted, by its IDs', async ({ app }) => {
  const vendor = await CliVendor.join(app);
  const moduleId = await vendor.importedModule();
  const gitlab = await newIssuer();
  gitlab.answer = apiOf('/api/v4/projects/acme%2Fsoil', AT_GITLAB);
  const run = (...args: string[]) => vendor.run('publishers', ...args);
  const added = await run('add', moduleId, 'acme/soil', '--ci', gitlab.url, '--environment', 'farm');
  expect([added.exitCode, added.stdout]).toEqual([
    0,
    expect.stringContaining('project_id=20 namespace_id=72'),
  ]);
  const again = await run('add', moduleId, 'acme/soil', '--ci', gitlab.url, '--audience', 'x');
  expect(again.exitCode).toBe(0);
  const listed = JSON.parse((await run('list', moduleId, '--json')).stdout) as object[];
  expect(listed).toMatchObject([
    { issuer: gitlab.url, audience: app.url, claims: { project_id: '20', environment: 'farm' } },
    { audience: 'x', claims: { namespace_id: '72' } },
  ]);
  const refused = await run('add', moduleId, 'acme/other', '--ci', gitlab.url);
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringContaining(`glab api --hostname ${new URL(gitlab.url).host} projects/acme%2Fother`),
  ]);
});
