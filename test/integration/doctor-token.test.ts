import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { asText } from '../../api/doctor/print-report.ts';
import { addressesOf } from '../../api/doctor/probe-parts.ts';
import { reportToken } from '../../api/doctor/report-token.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp } from '../support/test-app.ts';

const test = serviceTest({ worker: false });

async function explain(app: TestApp, bearer: string): Promise<string> {
  const token = bearer.replace(/^Bearer /, '');
  const addresses = addressesOf(app.config) ?? expect.unreachable();
  const text = asText({ token: await reportToken(token, app.config.auth, addresses) });
  expect(text).not.toContain(token);
  return text;
}

test('a token with a claim of organizations: what it opens, and by which source', async ({ app }) => {
  const vendor = await app.organization();
  const text = await explain(app, vendor.admin);
  expect(text).toMatch(/^ok {6}token: valid: of .+, accepted until \d{4}-/);
  expect(text).toContain(`${vendor.id}: OrganizationAdmin by the claim organizations in the vendor `);
  expect(text).toContain('operator: no: the token has no claim roles (AUTH_OPERATOR_CLAIM)');
});

test('a member who is kept here', async ({ app }) => {
  const vendor = await app.organization();
  const subject = randomUUID();
  await app.as('operator').put(`/${vendor.id}/members/${subject}`, { roles: ['OrganizationMember'] });
  const text = await explain(app, await app.bearer({ subject }));
  expect(text).toContain(`${vendor.id}: OrganizationMember by the members kept here`);
});

test('an organization that does not exist: an operator creates it as the report says', async ({ app }) => {
  const id = randomUUID();
  const bearer = await app.bearer({ organizations: [{ id, roles: ['OrganizationAdmin'] }] });
  const text = await explain(app, bearer);
  const [, path = ''] = /creates it: PUT \/api\/v8\.0(\/organizations\/[\w-]+)\./.exec(text) ?? [];
  const put = await app.as('operator').put(path, { name: 'New', kind: 'vendor', tenantId: randomUUID() });
  expect(put.status).toBe(201);
  expect(await explain(app, bearer)).toContain(`${id}: OrganizationAdmin by the claim organizations`);
});

test('an organization that was deleted is not to be created again', async ({ app }) => {
  const vendor = await app.organization();
  await app.as('operator').delete(`/organizations/${vendor.id}`);
  const text = await explain(app, vendor.admin);
  expect(text).toContain(
    `failed  token: ${vendor.id}: OrganizationAdmin by the claim organizations in an organization that was deleted`,
  );
  expect(text).toContain('Let the issuer name another organization.');
  expect(text).not.toContain('PUT /api');
});

test('a suspended organization fails with the reason, until the suspension is ended as the report says', async ({
  app,
}) => {
  const vendor = await app.organization();
  const suspension = `/operations/organizations/${vendor.id}/suspension`;
  await app.as('operator').put(suspension, { reason: 'It sends spam.', farmersKeepAccess: true });
  const text = await explain(app, vendor.admin);
  expect(text).toContain(`failed  token: ${vendor.id}: OrganizationAdmin`);
  expect(text).toContain('which is suspended: It sends spam.');
  const [, path = ''] = /DELETE \/api\/v8\.0(\S+)\./.exec(text) ?? [];
  expect((await app.as('operator').delete(path)).status).toBe(204);
  expect(await explain(app, vendor.admin)).not.toContain('failed');
});

test('a token that opens nothing: its claims, and the settings that would read them', async ({ app }) => {
  const text = await explain(app, await app.bearer({ subject: randomUUID() }));
  expect(text).toContain('failed  token: organizations: The token opens no organization.');
  expect(text).toMatch(/AUTH_GROUPS_CLAIM is groups.* Its claims: .*\bsub\b/);
});

test('a token whose groups the issuer has left out, because they are too many', async ({ app }) => {
  for (const claims of [{ _claim_names: { groups: 'src1' } }, { hasgroups: true }]) {
    const text = await explain(app, await app.bearer({ subject: randomUUID(), claims }));
    expect(text).toContain('The issuer has left its groups out');
    expect(text).toContain('Groups assigned to the application');
  }
});

test('a token that is not a JWT', async ({ app }) => {
  expect(await explain(app, 'opaque-token-of-some-issuer')).toMatch(/^failed {2}token: opaque token: /);
});
