import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
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
  const report = JSON.parse(output) as {
    parts: { part: string; steps: { step: string; state: string }[] }[];
  };
  const clocks = report.parts.flatMap(({ part, steps }) =>
    steps.filter(({ step }) => step === 'clock').map(({ state }) => [part, state]),
  );
  expect(clocks).toEqual(
    expect.arrayContaining([
      ['database', 'failed'],
      ['issuer', 'failed'],
    ]),
  );
  expect(exitCode).toBe(1);
});
