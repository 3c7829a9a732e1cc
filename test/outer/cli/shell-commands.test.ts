import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { makePrivateCommand } from '../../../shared/cli/settings.ts';

test('a shell closes the file that the command of a message names, whatever its name', async () => {
  const folder = path.join(inject('scratch'), `o'brien $HOME-${randomUUID()}`);
  await mkdir(folder);
  const file = path.join(folder, 'sign-ins.json');
  await writeFile(file, '{}', { mode: 0o644 });
  await promisify(execFile)('sh', ['-ec', makePrivateCommand(file)]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});
