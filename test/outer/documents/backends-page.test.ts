import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';
import { beforeAll, expect, inject, test } from 'vitest';
import { makeFarmedModule, signTokenOfAll, type FarmedModule } from '../../support/farmed-module.ts';
import { findProgram } from '../../support/find-program.ts';
import { writeOwnCatalogue } from '../../support/own-catalogue.ts';
import { sharedStack } from '../../support/shared-stack.ts';

const PAGE = readFileSync(path.resolve(import.meta.dirname, '../../../docs/backends.md'), 'utf8');
const scratch = inject('scratch');
const dataDir = path.join(scratch, `backends-${randomUUID()}`);
// As on a platform with its own IDs: the programs of the page name none.
const catalogueFile = path.join(scratch, `catalogue-${randomUUID()}.json`);
beforeAll(() => writeOwnCatalogue(catalogueFile));
const local = sharedStack(dataDir, { CATALOGUE_FILE: catalogueFile });
let module: FarmedModule;

beforeAll(async () => {
  module = await makeFarmedModule(local.stack, await signTokenOfAll(dataDir));
});

/** The page's blocks in a language, one after the other: they are one program. */
function programIn(language: string): string {
  const blocks = [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))];
  return blocks.map(([, text = '']) => text).join('\n');
}

/** Passes requests on to the stack, but refuses the first one to each path with `Retry-After`. */
async function startBusyProxy(): Promise<{ readonly url: string; stop(): void }> {
  const seen = new Set<string>();
  const server = http.createServer((request, response) => {
    const { method, url = '/', headers } = request;
    const isFirst = !seen.has(url);
    seen.add(url);
    if (isFirst) {
      response.writeHead(503, { 'Retry-After': '0' }).end('{"detail":"Try again."}');
      return;
    }
    const onward = http.request(new URL(url, local.stack.url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

/** The output of a program of the page; the server is busy at first. */
async function run(program: string, file: string, sensor: string): Promise<readonly string[]> {
  const proxy = await startBusyProxy();
  const env = {
    PATH: process.env['PATH'],
    MODULE_API: proxy.url,
    MODULE_ID: module.moduleId,
    MODULE_KEY: module.apiKey,
    SENSOR: sensor,
  };
  const { stdout } = await promisify(execFile)(program, [file], { env }).finally(proxy.stop);
  return stdout.trim().split('\n');
}

const PRINTED = [
  'poll: Home farm',
  'poll again: nothing new',
  'pages: 1 organization',
  'line: North Farm',
  'features: farm',
  'rule: soilMoisture lt 20',
  'changed: import, installation, revision, rule',
  'since: 0 changes',
  'first: created',
  'again: unchanged',
  'drier: updated',
  'watered: resolved',
  'reported: 1 rule',
  'reported all: 1 rule',
];

test('the TypeScript of docs/backends.md reads farms and rules, raises and resolves an alert, and waits for a busy server', async () => {
  const compilerOptions = { module: ModuleKind.ESNext, target: ScriptTarget.ES2023 };
  const { outputText } = transpileModule(programIn('ts'), { compilerOptions });
  const file = path.join(scratch, `backend-${randomUUID()}.mjs`);
  await writeFile(file, outputText);
  expect(await run(process.execPath, file, 'ts')).toEqual(PRINTED);
});

const python = findProgram('python3');
const mayLackPython = python === null && process.env['REQUIRE_ALL_PARTS'] !== '1';

test.skipIf(mayLackPython)(
  'the Python of docs/backends.md reads farms and rules, raises and resolves an alert, and waits for a busy server',
  async () => {
    const file = path.join(scratch, `backend-${randomUUID()}.py`);
    await writeFile(file, programIn('python'));
    expect(await run(python ?? 'python3', file, 'python')).toEqual(PRINTED);
  },
);

test('the command of docs/backends.md reports every rule of the module', async () => {
  const [, below = ''] = PAGE.split('\n## Report that rules were checked\n');
  const [, command = ''] = /^```sh\n(.*?)^```$/ms.exec(below) ?? [];
  const env = {
    PATH: process.env['PATH'],
    MODULE_API: local.stack.url,
    MODULE_ID: module.moduleId,
    MODULE_KEY: module.apiKey,
  };
  const { stdout } = await promisify(execFile)('sh', ['-ec', command], { env });
  expect(JSON.parse(stdout)).toEqual({ rules: 1 });
});
