import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import type { ProbeStep } from '../../../shared/process/probe-step.ts';
import { findProgram } from '../../support/find-program.ts';
import { compileService } from '../../support/service-process.ts';
import { startTestApp } from '../../support/test-app.ts';

const faketime = findProgram('faketime');

test.runIf(faketime !== null)('a clock that is a minute off is reported by the command', async () => {
  compileService();
  const app = await startTestApp({ worker: false });
  onTestFinished(() => app.stop());
  const args = ['-f', '+60s', process.execPath, 'dist/api/doctor/doctor-command.js', '--json'];
  const child = spawn(faketime ?? '', args, {
    env: { PATH: process.env['PATH'], ...app.environment },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
  const [exitCode] = (await once(child, 'close')) as [number | null];
  const { ok, parts } = JSON.parse(output) as { ok: boolean; parts: Record<string, ProbeStep[]> };
  const clock = parts['issuer']?.find(({ step }) => step === 'clock');
  expect([ok, clock?.ok, exitCode]).toEqual([false, false, 1]);
  expect(clock?.advice).toContain('NTP');
});
