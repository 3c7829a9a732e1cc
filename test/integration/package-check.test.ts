import { createServer } from 'node:http';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterAll, expect } from 'vitest';
import { samplePackage, type SampleOptions } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp } from '../support/test-app.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OPERATOR_CODE = 'operator-licence-missing';
const refusal = { code: OPERATOR_CODE, detail: 'Add a licence.', severity: 'error' };

type Members = Readonly<Record<string, unknown>>;
interface Call {
  readonly type: string;
  readonly data: Members & { readonly descriptor: Members; readonly files: readonly Members[] };
}

/** The calls by the component of their packages, and what is answered to each; without a plan, no problems. */
const calls: Call[] = [];
const plans = new Map<string, ({ status: number } | readonly object[])[]>();
const componentOf = ({ data }: Call) => String(data.descriptor['component']);

const server = createServer((request, response) => {
  void text(request).then((body) => {
    const call = new Webhook(SECRET).verify(body, request.headers as Record<string, string>) as Call;
    calls.push(call);
    const next = plans.get(componentOf(call))?.shift() ?? [];
    if ('status' in next) response.writeHead(next.status).end();
    else response.end(JSON.stringify({ problems: next }));
  });
}).listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => server.close());

const test = serviceTest({
  settings: {
    PACKAGE_CHECK: `required,http://127.0.0.1:${(server.address() as AddressInfo).port}/,${SECRET}`,
  },
});

const zip = (app: TestApp, component: string, options: SampleOptions = {}) =>
  samplePackage(app.api.catalogue, { ...options, descriptor: { component, ...options.descriptor } });

test('errors of the operator reject an import as the rules do, and their codes have a page', async ({
  app,
  vendor,
}) => {
  const entry = 'moduleSchema.json';
  plans.set('Refused', [[{ ...refusal, entry, pointer: '/component' }, refusal]]);
  const answer = await app.importPackage(vendor, zip(app, 'Refused'));
  expect([answer.status, answer.body.errors]).toMatchObject([
    400,
    [refusal, { ...refusal, entry, pointer: '/component' }],
  ]);
  const page = await app.fetch(`/problems/${OPERATOR_CODE}`, { headers: { Accept: 'text/html' } });
  expect([page.status, page.text.includes('The operator of this deployment')]).toEqual([200, true]);
});

test('warnings of the operator are among the warnings, and validateOnly is checked too', async ({
  app,
  vendor,
}) => {
  const warning = { ...refusal, severity: 'warning' };
  plans.set('Warned', [[warning], [warning]]);
  for (const query of ['?validateOnly=true', '']) {
    const answer = await app.importPackage(vendor, zip(app, 'Warned'), { query });
    expect([answer.status, answer.body.warnings]).toEqual([200, expect.arrayContaining([warning])]);
  }
  expect(
    calls.filter((call) => componentOf(call) === 'Warned').map(({ data }) => data['validateOnly']),
  ).toEqual([true, false]);
});

test('while a required check does not answer, the import waits, and is checked again', async ({
  app,
  vendor,
}) => {
  plans.set('Waiting', [{ status: 503 }]);
  const answer = await app.importPackage(vendor, zip(app, 'Waiting'));
  expect([answer.status, answer.body.outcome]).toEqual([200, 'created']);
  const both = calls.filter((call) => componentOf(call) === 'Waiting');
  expect(both.map(({ data }) => data['importId'])).toEqual([answer.body.importId, answer.body.importId]);
});

test('a call names the import, the archive and each file, and has no values of environment variables', async ({
  app,
  vendor,
}) => {
  const environmentVariables = [
    { appEnvironmentId: '11111111-1111-4111-8111-111111111111', key: 'TOKEN', value: 'geheim' },
  ];
  const upload = zip(app, 'Named', { descriptor: { environmentVariables } });
  const { body } = await app.importPackage(vendor, upload);
  const call = calls.find((each) => componentOf(each) === 'Named');
  expect(call).toMatchObject({
    type: 'package.check',
    data: {
      ...{ importId: body.importId, organizationId: vendor.id, moduleId: null, validateOnly: false },
      archive: { sha256: createHash('sha256').update(upload).digest('hex'), sizeBytes: upload.length },
      descriptor: { environmentVariables: [{ key: 'TOKEN' }] },
    },
  });
  expect(call?.data.files.length).toBeGreaterThan(0);
  for (const file of call?.data.files ?? [])
    expect(Object.keys(file)).toEqual(['path', 'mediaType', 'sizeBytes', 'sha256']);
  expect(JSON.stringify(call)).not.toContain('geheim');
});

test('a package that breaks a rule is rejected without a call', async ({ app, vendor }) => {
  const answer = await app.importPackage(vendor, zip(app, 'Faulty', { descriptor: { moduleId: 'none' } }));
  expect(answer.status).toBe(400);
  expect(calls.map(componentOf)).not.toContain('Faulty');
});
