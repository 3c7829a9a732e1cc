import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { buildModulectl } from '../../support/run-modulectl.ts';

const PROGRAM = path.resolve(import.meta.dirname, '../../../shared/local/modulectl.mjs');
/** Each write to it fails as on a full disk. */
const FULL = '/dev/full';

beforeAll(buildModulectl);

test.skipIf(!existsSync(FULL))('a command whose output cannot be written says so, and exits with 2', () => {
  const full = openSync(FULL, 'w');
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'help'], {
    stdio: ['ignore', full, 'pipe'],
  });
  closeSync(full);
  expect([status, String(stderr)]).toEqual([2, 'modulectl: Cannot write the output: the disk is full.\n']);
});

test('a command whose messages nobody reads exits with its own code', async () => {
  const child = spawn(process.execPath, [PROGRAM, 'nothing'], { stdio: ['ignore', 'ignore', 'pipe'] });
  child.stderr.destroy();
  expect(await once(child, 'close')).toEqual([2, null]);
});
