import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { runHere } from './run-modulectl.ts';
import type { TestApp, TestOrganization } from './test-app.ts';

/** The server's result for a package, as JSON; null if its upload is refused, so that there is no import. */
export async function serverResult(
  app: TestApp,
  vendor: TestOrganization,
  bytes: Buffer,
): Promise<string | null> {
  const answer = await app.importPackage(vendor, bytes, { query: '?validateOnly=true' });
  if (answer.status !== 200 && answer.body.type !== '/problems/import-rejected') return null;
  const { importId } = answer.body as { importId: string };
  const read = await app.as(vendor).get(`/imports/${importId}`);
  const { errors, warnings, errorsTotal, unlistedErrors } = read.body as Record<string, unknown>;
  const expected = JSON.stringify({ errors, warnings, errorsTotal, unlistedErrors });
  if (answer.status === 400) {
    const { body } = answer;
    const answered = { errors: body.errors, warnings: body.warnings, errorsTotal };
    expect(JSON.stringify({ ...answered, unlistedErrors: body.unlistedErrors })).toBe(expected);
  } else expect(JSON.stringify(answer.body.warnings)).toBe(JSON.stringify(warnings));
  return expected;
}

/** Expects that `modulectl check` prints, byte for byte, the server's result. Returns the titles whose upload is refused. */
export async function expectSameResults(
  app: TestApp,
  scratch: string,
  packages: readonly { readonly title: string; readonly bytes: Buffer }[],
): Promise<string[]> {
  const vendor = await app.organization();
  const variables = { MODULECTL_TOKEN: vendor.admin.replace('Bearer ', '') };
  const refused: string[] = [];
  for (const { title, bytes } of packages) {
    const file = path.join(scratch, `${randomUUID()}.zip`);
    await writeFile(file, bytes);
    const run = await runHere(['check', file, '--json', '--server', app.url], { scratch, variables });
    const expected = await serverResult(app, vendor, bytes);
    if (expected === null) refused.push(title);
    else expect(run, title).toEqual({ exitCode: run.exitCode, stdout: `${expected}\n`, stderr: '' });
    const isRejected = expected === null || !expected.startsWith('{"errors":[],');
    expect(run.exitCode, title).toBe(isRejected ? 1 : 0);
  }
  return refused;
}
