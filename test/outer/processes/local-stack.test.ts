import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, inject, test } from 'vitest';
import { SHIPPED_SETS } from '../../../shared/catalogue/shipped-sets.ts';
import { packageForm } from '../../support/package-form.ts';
import { runCommand } from '../../support/local-stack.ts';
import { sharedStack } from '../../support/shared-stack.ts';

const dataDir = path.join(inject('scratch'), `stack-${randomUUID()}`);
const local = sharedStack(dataDir);

/** The processes that a process has started. */
async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`);
  const lists = threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8'));
  return (await Promise.all(lists)).flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

/** Runs one more process beside the stack; resolves when it has logged the line. */
async function startOneMore(name: string, line: string) {
  const child = spawn(process.execPath, ['shared/local/run.mjs', name], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  for await (const text of createInterface({ input: child.stdout })) {
    const { msg, port = 0 } = JSON.parse(text) as { msg: string; port?: number };
    if (msg !== line) continue;
    const stop = () => {
      child.kill('SIGTERM');
      return closed;
    };
    child.stdout.resume();
    return { port, stop };
  }
  throw new Error(`npm run ${name} ended without the line "${line}"`);
}

// In order: the last test kills the stack.
describe('beside npm start', { shuffle: false }, () => {
  test.each([
    ['api', 'AUTH_ISSUER must be set (npm start'],
    ['worker', 'DATABASE_URL must be set (npm start'],
  ])('npm run %s without a stack says what it needs: %s', async (name, need) => {
    const { exitCode, errors } = await runCommand([name], `${dataDir}-without-stack`);
    expect([exitCode, errors]).toEqual([2, expect.stringContaining(need)]);
  });

  test('npm run api and npm run worker run one more of each, with the parts of the stack', async () => {
    const worker = await startOneMore('worker', 'worker accepts jobs');
    const api = await startOneMore('api', 'api listens');
    const { stack } = local;
    const answer = await fetch(`http://127.0.0.1:${api.port}/api/v8.0/${stack.organizationId}/modules`, {
      headers: { Authorization: `Bearer ${stack.token}` },
    });
    expect(((await answer.json()) as { items: unknown[] }).items).not.toEqual([]);
    expect([await api.stop(), await worker.stop()]).toEqual([0, 0]);
    expect((await fetch(`${stack.url}/readyz`)).status).toBe(200);
  });

  test('npm run token refuses unknown arguments', async () => {
    expect((await runCommand(['token', '--org', 'mine'], dataDir)).exitCode).toBe(2);
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

  test('npm run doctor tries the parts of the stack that runs on DATA_DIR', async () => {
    const { exitCode, output, errors } = await runCommand(['doctor'], dataDir);
    expect(errors).toContain(`Parts that are not set are those of the npm start that runs on ${dataDir}.`);
    expect(output).toMatch(/^ok {6}database: /m);
    expect(output).toMatch(/^ok {6}issuer: /m);
    expect([exitCode, output]).toEqual([0, expect.stringContaining('Every part works.')]);
  });

  test('npm run doctor without a stack names the settings that it needs', async () => {
    const { exitCode, output } = await runCommand(['doctor'], `${dataDir}-without-stack`);
    expect([exitCode, output]).toEqual([
      1,
      expect.stringContaining('DATABASE_URL and AUTH_ISSUER must be set'),
    ]);
  });

  test('after kill -9 of everything it starts again, with everything that was imported', async () => {
    const imported = await fetch(
      `${local.stack.url}/api/v8.0/${local.stack.organizationId}/ImportModuleAsync`,
      {
        method: 'POST',
        headers: { Authorization: `Bearer ${local.stack.token}` },
        body: packageForm(await readFile(local.stack.example)),
      },
    );
    expect(imported.status).toBe(200);
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
    expect(((await answer.json()) as { items: unknown[] }).items).toHaveLength(2);
  });
});
