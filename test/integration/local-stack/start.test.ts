import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { loadCatalogue } from '../../../shared/catalogue/catalogue.ts';
import { DEMONSTRATION } from '../../../shared/local/demonstration.ts';
import { readIssuer } from '../../../shared/local/issuer.ts';
import { sign, signToken } from '../../../shared/local/issuer-tokens.ts';
import { nodeAdvice } from '../../../shared/local/prepare.mjs';
import { socketFolder, startPostgres } from '../../../shared/local/postgres.ts';
import { runCommand } from '../../support/local-stack.ts';
import { MAIL_ALL_AT_ONCE } from '../../support/notified-farmer.ts';
import { sharedStack } from '../../support/shared-stack.ts';
import { packageForm } from '../../support/package-form.ts';

const DEFAULT_PORT = 8080;
/** Short enough for a socket. */
const dataDir = path.join(inject('scratch'), randomUUID().slice(0, 8));

/** Takes the default port, unless another program has it. */
const other = net.createServer();
beforeAll(async () => {
  // In this order: waiting for the port to be taken also fails by an error.
  const taken = Promise.race([once(other, 'error'), once(other, 'listening')]);
  other.on('error', () => undefined).listen(DEFAULT_PORT, '127.0.0.1');
  await taken;
});
afterAll(() => other.close());

/** An empty PORT is the default one. */
const local = sharedStack(dataDir, { PORT: '' });
const README = readFileSync(path.resolve(import.meta.dirname, '../../../README.md'), 'utf8');

/** The lines that the README shows for npm start. */
function readmeLines(): string[] {
  const [, block = ''] = README.split('```console\n$ npm start');
  return linesOf(block.split('```', 1)[0] ?? '');
}

/** Output as the README shows it: with its own address and file, and without the rest of the token. */
function asInReadme(output: string): string[] {
  return linesOf(
    output
      .replace(/^Another program listens .*$/m, '')
      .replaceAll(local.stack.url, 'http://127.0.0.1:8080')
      .replaceAll(`modules.localhost:${new URL(local.stack.url).port}`, 'modules.localhost:8080')
      .replace(/^(The mails .*):\d+$/m, '$1:8025')
      .replace(/^(The origins .*):\d+$/m, '$1:40321')
      .replace(/^TOKEN=(.{20}).*$/m, 'TOKEN=$1…')
      .replace(/file=@\S+/, 'file=@.data/example-module.zip'),
  );
}

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');

function importAddress(): string {
  return `${local.stack.url}/api/v8.0/${local.stack.organizationId}/ImportModuleAsync`;
}

/** The status of an operators' call with this output of npm run token. */
async function statusOfOperatorCall(output: string): Promise<number> {
  const headers = { Authorization: `Bearer ${output.trim()}` };
  return (await fetch(`${local.stack.url}/api/v8.0/organizations`, { headers })).status;
}

// In order: the tests follow the life of one stack.
describe('npm start', { shuffle: false }, () => {
  test('prints one ready line, a token and a curl line', () => {
    expect(local.stack.output.match(/^ready /gm)).toHaveLength(1);
    expect(local.stack.token).not.toBe('');
  });

  test('prints what the README shows', () => expect(asInReadme(local.stack.output)).toEqual(readmeLines()));

  test('takes the next free port where the default one is in use, and says so', () => {
    const port = Number(new URL(local.stack.url).port);
    expect(port).toBeGreaterThan(DEFAULT_PORT);
    expect(local.stack.output).toContain(
      `Another program listens at http://127.0.0.1:${DEFAULT_PORT}. Using port ${port}.\n`,
    );
  });

  test('its programs reach its database by the socket', async () => {
    // The running server is found, not started.
    const { url, localUrl } = await startPostgres(path.join(dataDir, 'postgres'));
    expect(new URL(localUrl).hostname).toMatch(/^%2F/);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(
      "select distinct client_addr from pg_stat_activity where datname = 'modules' and backend_type = 'client backend'",
    );
    await client.end();
    expect(rows).toEqual([{ client_addr: null }]);
  });

  test.each(['/srv/a,b/data', '/srv/"a"/data', `/srv/${'a'.repeat(90)}/data`])(
    'a folder that cannot have a socket has none: %s',
    (folder) => expect(socketFolder(folder)).toBe(''),
  );

  test('ends with one line that names the port and the remedy where the one of PORT is in use', async () => {
    const { port } = new URL(local.stack.url);
    const { exitCode, output, errors } = await runCommand(['start'], `${dataDir}-2`, { PORT: port });
    expect([exitCode, output]).toEqual([1, '']);
    const advice = nodeAdvice(process.versions.node);
    expect(errors).toBe(
      `${advice === null ? '' : `${advice}\n`}Another program listens at http://127.0.0.1:${port}. Stop it, or set PORT to another port; 0 takes a free one.\n`,
    );
  });

  test('is alive and ready', async () => {
    expect((await fetch(`${local.stack.url}/livez`)).status).toBe(200);
    expect((await fetch(`${local.stack.url}/readyz`)).status).toBe(200);
  });

  test('the portal has something on every page: a module, and a farmer with farms, rules and alerts', async () => {
    const issuer = await readIssuer(dataDir);
    const { vendor, meadowFarm } = DEMONSTRATION;
    const organizations = [vendor, meadowFarm].map(({ id }) => ({ id, roles: ['OrganizationMember'] }));
    const token =
      issuer &&
      (await signToken(issuer, { audience: 'module-import-service', organizations, isOperator: false }));
    const read = async (address: string) => {
      const answer = await fetch(`${local.stack.url}/api/v8.0/${address}`, {
        headers: { Authorization: `Bearer ${token ?? ''}` },
      });
      return (await answer.json()) as { items: unknown[]; farms: { fields: unknown[] }[] };
    };
    const { items: modules } = await read(`${vendor.id}/modules`);
    expect(modules).toMatchObject([{ revision: 2, translations: [{}, {}, {}] }]);
    const { farms } = await read(`${meadowFarm.id}/structures`);
    expect(farms.map(({ fields }) => fields.length)).toEqual([3, 2]);
    expect((await read(`${meadowFarm.id}/installations`)).items).toHaveLength(1);
    const { items: rules } = await read(`${meadowFarm.id}/alertRules`);
    expect(rules).toMatchObject([
      { name: 'Cold soil', lastReportAt: expect.any(String) as string, silentAt: null },
      { name: 'Too dry', lastReportAt: expect.any(String) as string, silentAt: null },
      { name: 'Warm enough to sow', lastReportAt: null, silentAt: expect.any(String) as string },
    ]);
    const { items: alerts } = await read(`${meadowFarm.id}/alerts`);
    expect((alerts as { status: string }[]).map(({ status }) => status).toSorted()).toEqual([
      'firing',
      'firing',
      'resolved',
    ]);
  });

  test('a member turns mails on, an alert is raised, and the mail is shown at the printed address', async () => {
    const issuer = await readIssuer(dataDir);
    if (issuer === null) throw new Error('the stack has no issuer');
    const { vendor, meadowFarm } = DEMONSTRATION;
    const person = {
      aud: 'module-import-service',
      sub: 'mailed',
      email: 'mailed@example.com',
      email_verified: true,
    };
    const organizations = [{ id: meadowFarm.id, roles: ['OrganizationMember'] }];
    const asMember = { Authorization: `Bearer ${await sign(issuer, { ...person, organizations }, 600)}` };
    const asVendor = { Authorization: `Bearer ${local.stack.token}` };
    const call = async (method: string, address: string, headers: Record<string, string>, body?: object) => {
      const answer = await fetch(`${local.stack.url}/api/v8.0/${address}`, {
        method,
        headers: { ...headers, 'Content-Type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      expect(answer.status, text).toBe(200);
      return JSON.parse(text) as Record<string, unknown>;
    };
    const settings = await call('PUT', `${meadowFarm.id}/notificationSettings`, asMember, MAIL_ALL_AT_ONCE);
    expect(settings).toMatchObject({ mail: 'available' });
    const { items } = await call('GET', `${meadowFarm.id}/alertRules`, asMember);
    const [{ id: ruleId, moduleId }] = items as [{ id: string; moduleId: string }];
    const { farms } = await call('GET', `${meadowFarm.id}/structures`, asMember);
    const [{ id: farmId }] = farms as [{ id: string }];
    const { clientSecret } = await call('POST', `${vendor.id}/registerApiClient/${moduleId}`, asVendor, {});
    const alert = {
      ...{ ruleId, target: { type: 'farm', id: farmId }, status: 'firing', severity: 'critical' },
      ...{ startsAt: new Date().toISOString(), title: 'Frost tonight', message: 'Two degrees.' },
    };
    const body = { alerts: [alert] };
    await call('POST', `Alerts/AlertsByModuleId/${moduleId}`, { 'X-Api-Key': String(clientSecret) }, body);
    const { url } = await startPostgres(path.join(dataDir, 'postgres'));
    const client = new pg.Client({ connectionString: new URL('/modules', url).href });
    await client.connect();
    const page = /^The mails .*: (http:\S+)$/m.exec(local.stack.output)?.[1] ?? '';
    try {
      await expect
        .poll(
          async () => {
            // The mail waits for further alerts.
            await client.query(
              'update notification_recipients set immediate_due_at = now() where immediate_due_at > now()',
            );
            return (await fetch(page)).text();
          },
          { timeout: 60_000, interval: 500 },
        )
        .toContain('Frost tonight');
      const text = await (await fetch(page)).text();
      expect(text).toContain('To mailed@example.com');
      const { port } = new URL(local.stack.url);
      const link = `http://modules.localhost:${port}`;
      expect(text).toContain(`${link}/portal/${meadowFarm.id}/alerts`);
      expect(text).toContain(`${link}/notifications/`);
    } finally {
      await client.end();
    }
  });

  test('the example package is imported without a warning', async () => {
    const answer = await fetch(importAddress(), {
      method: 'POST',
      headers: { Authorization: `Bearer ${local.stack.token}` },
      body: packageForm(await readFile(local.stack.example)),
    });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ status: 'succeeded', warnings: [] });
  });

  test('npm run token prints a token of the issuer that the API accepts, and that is no operator’s', async () => {
    const { output, exitCode } = await runCommand(
      ['token', '--org', local.stack.organizationId, '--role', 'OrganizationMember'],
      dataDir,
    );
    expect(exitCode).toBe(0);
    expect(output.trim().split('\n')).toHaveLength(1);
    const answer = await fetch(`${local.stack.url}/api/v8.0/${local.stack.organizationId}/imports`, {
      headers: { Authorization: `Bearer ${output.trim()}` },
    });
    expect(answer.status).toBe(200);
    expect(await statusOfOperatorCall(output)).toBe(403);
  });

  test('npm run catalogue prints only the ID of an entry', async () => {
    const { output } = await runCommand(['catalogue', 'languages/en'], dataDir);
    expect(output.trim()).toBe(loadCatalogue().englishId);
  });

  test('npm run token --operator prints a token that operators’ calls accept', async () => {
    const args = ['token', '--org', local.stack.organizationId, '--operator'];
    const { output } = await runCommand(args, dataDir);
    expect(await statusOfOperatorCall(output)).toBe(200);
  });

  test('a second npm start on the same data directory says so and exits', async () => {
    const { exitCode, errors } = await runCommand(['start'], dataDir);
    expect(exitCode).not.toBe(0);
    expect(errors).toContain('in use');
  });

  test('SIGTERM stops everything, with exit code 0', async () => {
    expect(await local.stack.stop()).toBe(0);
    await expect(fetch(`${local.stack.url}/livez`)).rejects.toThrow();
  });
});
