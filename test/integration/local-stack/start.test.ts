import { randomBytes, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { loadCatalogue } from '../../../shared/catalogue/catalogue.ts';
import { SHIPPED_SETS } from '../../../shared/catalogue/shipped-sets.ts';
import { DEMONSTRATION } from '../../../shared/local/demonstration.ts';
import { readIssuer } from '../../../shared/local/issuer.ts';
import { signToken } from '../../../shared/local/issuer-tokens.ts';
import { writeZip } from '../../../shared/package/archive/write-zip.ts';
import type { ZipFile } from '../../../shared/package/archive/write-zip.ts';
import { runCommand } from '../../support/local-stack.ts';
import { sharedStack } from '../../support/shared-stack.ts';
import { sampleDescriptor } from '../../support/sample-package.ts';
import { packageForm } from '../../support/package-form.ts';

const MiB = 1024 * 1024;
const dataDir = path.join(inject('scratch'), `stack-${randomUUID()}`);
const local = sharedStack(dataDir);

function importAddress(): string {
  return `${local.stack.url}/api/v8.0/${local.stack.organizationId}/ImportModuleAsync`;
}

/** A package with this many incompressible files of this size, in pieces. */
async function* largePackage(files: number, bytes: number): AsyncGenerator<Buffer> {
  function* contents(): Generator<ZipFile> {
    yield {
      path: 'moduleSchema.json',
      content: Buffer.from(JSON.stringify({ ...sampleDescriptor(loadCatalogue()), moduleFiles: [] })),
    };
    for (let index = 0; index < files; index += 1) {
      yield { path: `PackageArtifact/build/data-${index}.bin`, content: randomBytes(bytes) };
    }
  }
  yield* writeZip(contents());
}

/** Uploads pieces without buffering them; resolves with status and body. */
async function upload(
  pieces: AsyncIterable<Buffer>,
  onSent: () => void = () => undefined,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const request = http.request(importAddress(), {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${local.stack.token}`,
      'Content-Type': 'multipart/form-data; boundary=x',
    },
  });
  const answer = new Promise<http.IncomingMessage>((resolve, reject) =>
    request.on('response', resolve).on('error', reject),
  );
  request.write('--x\r\nContent-Disposition: form-data; name="file"; filename="large.zip"\r\n\r\n');
  for await (const piece of pieces) {
    if (!request.write(piece)) await new Promise((resolve) => request.once('drain', resolve));
  }
  request.end('\r\n--x--\r\n', onSent);
  const response = await answer;
  let text = '';
  for await (const bytes of response) text += String(bytes);
  return { status: response.statusCode ?? 0, body: JSON.parse(text) as Record<string, unknown> };
}

/** The status of an operators' call with this output of npm run token. */
async function statusOfOperatorCall(output: string): Promise<number> {
  const headers = { Authorization: `Bearer ${output.trim()}` };
  return (await fetch(`${local.stack.url}/api/v8.0/organizations`, { headers })).status;
}

async function peakResidentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

/** The processes that a process has started. */
async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`);
  const lists = threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8'));
  return (await Promise.all(lists)).flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

// In order: the tests follow the life of one stack.
describe('npm start', { shuffle: false }, () => {
  test('prints one ready line, a token and a curl line', () => {
    expect(local.stack.output.match(/^ready /gm)).toHaveLength(1);
    expect(local.stack.token).not.toBe('');
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
      { name: 'Cold soil', lastReportAt: expect.any(String) as string, noReportSince: null },
      { name: 'Too dry', lastReportAt: expect.any(String) as string, noReportSince: null },
      { name: 'Warm enough to sow', lastReportAt: null, noReportSince: expect.any(String) as string },
    ]);
    const { items: alerts } = await read(`${meadowFarm.id}/alerts`);
    expect((alerts as { status: string }[]).map(({ status }) => status).toSorted()).toEqual([
      'firing',
      'firing',
      'resolved',
    ]);
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

  test('npm run token prints a token of the issuer that the API accepts', async () => {
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
  });

  test('npm run token refuses unknown arguments', async () => {
    expect((await runCommand(['token', '--org', 'mine'], dataDir)).exitCode).toBe(2);
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

  test('npm run token without --operator prints no operator’s token', async () => {
    const { output } = await runCommand(['token', '--org', local.stack.organizationId], dataDir);
    expect(await statusOfOperatorCall(output)).toBe(403);
  });

  test('npm run catalogue lists a set: ID, key and name of each entry', async () => {
    const { exitCode, output } = await runCommand(['catalogue', 'languages'], dataDir);
    expect(exitCode).toBe(0);
    const keys = output
      .trim()
      .split('\n')
      .map((line) => /^[0-9a-f-]{36} {2}(\S+) +\S/.exec(line)?.[1]);
    expect(keys).toEqual(SHIPPED_SETS['languages']?.map(([key]) => key));
  });

  test('npm run catalogue of an unknown entry says so and fails', async () => {
    for (const wanted of ['tides', 'languages/xx']) {
      const { exitCode, output, errors } = await runCommand(['catalogue', wanted], dataDir);
      expect([exitCode, output]).toEqual([1, '']);
      expect(errors).toContain(wanted.split('/').at(-1));
    }
  });

  test('a second npm start on the same data directory says so and exits', async () => {
    const { exitCode, errors } = await runCommand(['start'], dataDir);
    expect(exitCode).not.toBe(0);
    expect(errors).toContain('in use');
  });

  test('the waiting request gets its 200 even if the worker is killed during the import', async () => {
    const [before = 0] = (await local.stack.pids('worker')).slice(-1);
    const { status, body } = await upload(largePackage(24, 4 * MiB), () =>
      setTimeout(() => process.kill(before, 'SIGKILL'), 60),
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({ outcome: 'created' });
    expect((await local.stack.pids('worker')).at(-1)).not.toBe(before);
  });

  test('a package of 600 MB leaves API and worker below 300 MB resident, and writes only to the store', async () => {
    const { status, body } = await upload(largePackage(15, 40 * MiB));
    expect(status, JSON.stringify(body)).toBe(200);
    const [api = 0, worker = 0] = [
      (await local.stack.pids('api')).at(-1),
      (await local.stack.pids('worker')).at(-1),
    ];
    expect(await peakResidentMiB(api)).toBeLessThan(300);
    expect(await peakResidentMiB(worker)).toBeLessThan(300);
    const written = (await readdir(dataDir)).toSorted();
    expect(written).toEqual([
      'encryption-key',
      'example-module.zip',
      'issuer-key.json',
      'issuer.json',
      'logs',
      'objects',
      'postgres',
    ]);
  }, 240_000);

  test('after kill -9 of everything it starts again, with everything that was imported', async () => {
    const pids = [
      local.stack.supervisor.pid ?? 0,
      (await local.stack.pids('api')).at(-1) ?? 0,
      (await local.stack.pids('worker')).at(-1) ?? 0,
    ];
    for (const pid of [...(await childrenOf(local.stack.supervisor.pid ?? 0)), ...pids])
      process.kill(pid, 'SIGKILL');
    const { token } = local.stack;
    await local.startAgain();
    const answer = await fetch(`${local.stack.url}/api/v8.0/${local.stack.organizationId}/modules`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(((await answer.json()) as { items: unknown[] }).items).toHaveLength(4);
  }, 60_000);

  test('SIGTERM stops everything within 15 s, with exit code 0', async () => {
    const { exitCode, durationMs } = await local.stack.stop();
    expect(exitCode).toBe(0);
    expect(durationMs).toBeLessThan(15_000);
    await expect(fetch(`${local.stack.url}/livez`)).rejects.toThrow();
  });
});
