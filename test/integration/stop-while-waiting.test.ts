import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../shared/local/free-port.ts';
import { compileService } from '../support/service-process.ts';
import { startTestApp } from '../support/test-app.ts';
import type { TestApp } from '../support/test-app.ts';

let app: TestApp;
let nowhere: string;

beforeAll(async () => {
  await compileService();
  app = await startTestApp({ worker: false });
  nowhere = `127.0.0.1:${await freePort()}`;
}, 300_000);

afterAll(() => app.stop());

const s3 = (address: string) => ({
  S3_ENDPOINT: `http://${address}`,
  S3_BUCKET: 'none',
  S3_ACCESS_KEY_ID: 'none',
  S3_SECRET_ACCESS_KEY: 'none',
});

const LACKS: readonly (readonly [string, 'api' | 'worker', () => Record<string, string>])[] = [
  ['a worker without its storage', 'worker', () => s3(nowhere)],
  ['a worker without its queue', 'worker', () => ({ REDIS_URL: `redis://${nowhere}` })],
  ['an API process without its queue', 'api', () => ({ REDIS_URL: `redis://${nowhere}` })],
];

test.each(LACKS)(
  '%s is not ready, says so at growing intervals, and ends on SIGTERM',
  async (_what, name, lack) => {
    const main = path.resolve(import.meta.dirname, `../../dist/${name}/main.js`);
    const env = { PATH: process.env['PATH'], ...app.environment, LOG_LEVEL: 'info', ...lack() };
    const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let log = '';
    child.stdout.on('data', (text: Buffer) => (log += text.toString()));
    await expect.poll(() => log, { timeout: 60_000 }).toMatch(/waiting for a part|connection failed/);
    await setTimeout(4_000);
    expect(log).not.toContain('worker accepts jobs');
    expect(log.match(/waiting for a part/g)?.length ?? 0).toBeLessThan(5);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  },
);
