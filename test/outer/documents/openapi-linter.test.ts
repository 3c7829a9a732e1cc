import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../../api/endpoints.ts';
import { openApiDocument } from '../../../api/openapi/openapi-document.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const text = JSON.stringify(openApiDocument(ENDPOINTS), null, 2);

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'openapi-'));
});

afterAll(() => rm(folder, { recursive: true }));

/** The linter's report about a document, and whether it passes. */
async function lint(document: string): Promise<{ exitCode: number | null; output: string }> {
  const file = path.join(folder, 'openapi.json');
  await writeFile(file, document);
  const program = path.join(ROOT, 'node_modules/@redocly/cli/bin/cli.js');
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const child = spawn(
    process.execPath,
    [program, 'lint', file, '--config', path.join(ROOT, 'redocly.yaml')],
    { env },
  );
  let output = '';
  child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (output += bytes.toString()));
  const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { exitCode, output };
}

describe('the linter', () => {
  test('finds nothing in the document', async () => {
    const { exitCode, output } = await lint(text);
    expect(exitCode, output).toBe(0);
  });

  test('reports a reference without a target and an example that violates its schema', async () => {
    const broken = text.replaceAll('#/components/schemas/ModuleSummary', '#/components/schemas/None');
    expect((await lint(broken)).output).toContain("Can't resolve $ref");
  });
});
