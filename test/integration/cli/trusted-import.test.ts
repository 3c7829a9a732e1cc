import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { CI_CLAIMS, startCiIssuer, type CiIssuer } from '../../support/ci-issuer.ts';
import { CliVendor } from '../../support/cli-vendor.ts';
import { LOOPBACK_ISSUERS } from '../../support/publishing-module.ts';
import { sampleDescriptor } from '../../support/sample-package.ts';
import { startTestApp, type TestApp } from '../../support/test-app.ts';

let app: TestApp;
let issuer: CiIssuer;
let vendor: CliVendor;
let moduleId: string;

beforeAll(async () => {
  app = await startTestApp({ settings: LOOPBACK_ISSUERS });
  issuer = await startCiIssuer();
  vendor = await CliVendor.join(app);
  moduleId = randomUUID();
  await vendor.run('import', await vendor.writePackage({ descriptor: { moduleId } }));
  // The default audience is the server.
  const items = [{ issuer: issuer.url, audience: app.url, claims: CI_CLAIMS }];
  await app.as(vendor.organization).put(`/trustedPublishers/${moduleId}`, { items });
});

afterAll(async () => {
  await app.stop();
  await issuer.stop();
});

const JOB_TOKEN = 'the-credential-of-the-job';

interface TokenEndpoint {
  readonly variables: Readonly<Record<string, string>>;
  readonly given: string[];
}

/** Plays GitHub's token endpoint: it gives a job's token for the audience that the job asks for. */
async function startTokenEndpoint(
  answer: (token: string) => [number, unknown] = (value) => [200, { value }],
) {
  const given: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://127.0.0.1');
    if (
      request.headers.authorization !== `Bearer ${JOB_TOKEN}` ||
      url.searchParams.get('api-version') !== '2'
    ) {
      response.writeHead(401).end();
      return;
    }
    void issuer.token({ aud: url.searchParams.get('audience') }).then((token) => {
      given.push(token);
      const [status, body] = answer(token);
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token?api-version=2`;
  const variables = { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: JOB_TOKEN };
  return { variables, given } satisfies TokenEndpoint;
}

/** Runs `import --trusted` as a CI job, which has no token of a person; its output contains no secret. */
async function runJob(variables: Readonly<Record<string, string>>, ...args: string[]) {
  const ran = await vendor.runWith(
    { MODULECTL_TOKEN: undefined, ...variables },
    'import',
    '--trusted',
    ...args,
  );
  expect(ran.stdout + ran.stderr).not.toMatch(/mmp_|eyJ/);
  expect(ran.stdout + ran.stderr).not.toContain(JOB_TOKEN);
  return ran;
}

const secondVersion = () => vendor.writePackage({ descriptor: { moduleId, component: randomUUID() } });

test('in GitHub Actions, the token of the job imports the module', async () => {
  const { variables, given } = await startTokenEndpoint();
  const ran = await runJob(variables, await secondVersion());
  expect(ran.exitCode, ran.stderr).toBe(0);
  expect(ran.stdout).toContain(`✓ updated module ${moduleId}\n`);
  expect(given).toHaveLength(1);
});

test('in GitLab CI/CD and elsewhere, the token is in MODULECTL_ID_TOKEN', async () => {
  const variables = { MODULECTL_ID_TOKEN: await issuer.token({ aud: app.url }) };
  const ran = await runJob(variables, await secondVersion());
  expect(ran.exitCode, ran.stderr).toBe(0);
  expect((await runJob(variables, await secondVersion())).stderr).toBe(
    'modulectl: The access token is missing or not valid. The token cannot be exchanged for this module.\n',
  );
});

test('a folder is packed, and its module ID read from its descriptor', async () => {
  const { variables } = await startTokenEndpoint();
  const folder = path.join(vendor.scratch, 'module');
  const descriptor = sampleDescriptor(app.api.catalogue, { moduleId, moduleFiles: [], component: 'folder' });
  await mkdir(path.join(folder, 'PackageArtifact/build'), { recursive: true });
  await writeFile(path.join(folder, 'PackageArtifact/build/index.html'), '<!doctype html>');
  await writeFile(path.join(folder, 'moduleSchema.json'), `\uFEFF${JSON.stringify(descriptor)}`);
  const ran = await runJob(variables, folder);
  expect(ran.exitCode, ran.stderr).toBe(0);
  expect(ran.stdout).toContain(`✓ updated module ${moduleId}\n`);
});

test('--audience names another audience than the server', async () => {
  const { variables } = await startTokenEndpoint();
  const ran = await runJob(variables, await secondVersion(), '--audience', 'https://other.example');
  expect([ran.exitCode, ran.stderr]).toEqual([
    2,
    'modulectl: The access token is missing or not valid. The token cannot be exchanged for this module.\n',
  ]);
});

test('the token of the job takes the place of a token that is set', async () => {
  const { variables } = await startTokenEndpoint();
  const ran = await runJob({ ...variables, MODULECTL_TOKEN: 'of-a-person' }, await secondVersion(), '--json');
  expect(JSON.parse(ran.stdout)).toMatchObject({
    importedBy: expect.stringMatching(/^trusted-publisher /) as string,
  });
});

test.each([
  [
    'outside of CI',
    {},
    'This is not a CI run with a token. In GitHub Actions, give the job the permission id-token',
  ],
  [
    'with an address over http',
    { ACTIONS_ID_TOKEN_REQUEST_URL: 'http://ci.example/', ACTIONS_ID_TOKEN_REQUEST_TOKEN: JOB_TOKEN },
    'ACTIONS_ID_TOKEN_REQUEST_URL must start with https://.',
  ],
  [
    'without an answer',
    { ACTIONS_ID_TOKEN_REQUEST_URL: 'http://127.0.0.1:1/', ACTIONS_ID_TOKEN_REQUEST_TOKEN: JOB_TOKEN },
    'GitHub does not answer with a token: ',
  ],
])('%s it says what is missing', async (_what, variables, message) => {
  const ran = await runJob(variables, await secondVersion());
  expect([ran.exitCode, ran.stdout]).toEqual([2, '']);
  expect(ran.stderr).toContain(`modulectl: ${message}`);
});

test.each([
  ['refuses', () => [403, { value: 'x' }] as [number, unknown], 'with status 403'],
  ['answers with something else', () => [200, { token: 'x' }] as [number, unknown], 'with status 200'],
])('an endpoint that %s is reported without its answer', async (_what, answer, message) => {
  const { variables } = await startTokenEndpoint(answer);
  const ran = await runJob(variables, await secondVersion());
  expect([ran.exitCode, ran.stderr]).toEqual([
    2,
    `modulectl: GitHub did not answer with a token, but ${message}.\n`,
  ]);
});

test('a package without a module ID is not sent', async () => {
  const { variables, given } = await startTokenEndpoint();
  const ran = await runJob(variables, await vendor.writePackage());
  expect([ran.exitCode, ran.stderr]).toEqual([
    2,
    expect.stringContaining('moduleSchema.json must have its ID as "moduleId"') as string,
  ]);
  expect(given).toEqual([]);
});

test('the name of the organization is refused before the token is used: a publisher names its ID', async () => {
  const variables = { MODULECTL_ID_TOKEN: await issuer.token({ aud: app.url }) };
  const file = await secondVersion();
  const named = await runJob({ ...variables, MODULECTL_ORG: `vendor ${vendor.organization.id}` }, file);
  expect([named.exitCode, named.stderr]).toEqual([
    2,
    expect.stringContaining('modulectl: A trusted publisher names its organization by its ID. ') as string,
  ]);
  const ran = await runJob(variables, file);
  expect(ran.exitCode, ran.stderr).toBe(0);
});

test('a credential of the job that no header can have is refused, and not shown', async () => {
  const { variables } = await startTokenEndpoint();
  const credential = { ACTIONS_ID_TOKEN_REQUEST_TOKEN: `${JOB_TOKEN}\n${JOB_TOKEN}` };
  const ran = await runJob({ ...variables, ...credential }, await secondVersion());
  expect([ran.exitCode, ran.stderr]).toEqual([
    2,
    expect.stringContaining('The value of ACTIONS_ID_TOKEN_REQUEST_TOKEN contains a character') as string,
  ]);
});

test('--token and --trusted are not combined', async () => {
  const ran = await runJob({}, await secondVersion(), '--token', 'x');
  expect([ran.exitCode, ran.stderr]).toEqual([2, 'modulectl: Use --trusted or --token, not both.\n']);
});
