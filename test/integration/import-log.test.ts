import { expect, vi } from 'vitest';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';

type Line = Readonly<Record<string, unknown>>;

const lines: Line[] = [];
const test = serviceTest({ onLog: (line) => lines.push(JSON.parse(line) as Line) });

/** The lines about attempts at an import, once there is one. */
async function attemptsAt(importId: unknown): Promise<readonly Line[]> {
  const found = () =>
    lines.filter((line) => line['importId'] === importId && line['msg'] === 'import attempt ended');
  await vi.waitFor(() => expect(found()).not.toEqual([]));
  return found();
}

test('an attempt that succeeds leaves one line with all that operators look for', async ({ app, vendor }) => {
  const zip = samplePackage(app.api.catalogue);
  const { body } = await app.importPackage(vendor, zip);
  expect(await attemptsAt(body.importId)).toEqual([
    expect.objectContaining({
      ...{ level: 30, organization: vendor.id, module: body.moduleId, revision: 1 },
      ...{ result: 'succeeded', outcome: 'created', cause: null, attempt: 1, bytes: zip.length },
      stepMs: {
        reading: expect.any(Number) as number,
        checking: expect.any(Number) as number,
        writing: expect.any(Number) as number,
      },
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    }),
  ]);
  const steps = lines.filter((line) => line['importId'] === body.importId && line['level'] === 20);
  expect(steps.map(({ step }) => step)).toEqual(['reading', 'checking', 'writing']);
});

test('the line of a rejected package has the codes of its problems', async ({ app, vendor }) => {
  const { body } = await app.importPackage(vendor, Buffer.from('no archive'));
  const codes = (body.errors as { code: string }[]).map(({ code }) => code);
  expect(await attemptsAt(body.importId)).toEqual([
    expect.objectContaining({ result: 'rejected', outcome: null, module: null, problems: codes }),
  ]);
});
