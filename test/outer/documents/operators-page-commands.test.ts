import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { shellBlocks } from '../../support/page-blocks.ts';

test.each(shellBlocks('docs/operators.md'))('the shell accepts: %s', (block) => {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: block, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});

test.each([
  ['--help', 0, ''],
  ['worker/nonsense', 2, 'There is no command worker/nonsense.\n'],
])('module-import %s prints the usage', (argument, exitCode, problem) => {
  const ended = spawnSync('docs/deployment/run-command', [argument], { encoding: 'utf8' });
  const usage = exitCode === 0 ? ended.stdout : ended.stderr;
  expect([ended.status, usage]).toEqual([exitCode, expect.stringContaining('usage: module-import ')]);
  expect(ended.stderr.startsWith(problem)).toBe(true);
});

test.each([
  ['', 2, 'usage: access-token.mjs https://modules.example.com\n'],
  [
    'http://127.0.0.1:1',
    1,
    'http://127.0.0.1:1/.well-known/oauth-protected-resource does not answer as expected: ',
  ],
])('access-token.mjs says in one line why it gets no token of "%s"', (server, exitCode, problem) => {
  const ended = spawnSync(process.execPath, ['docs/deployment/access-token.mjs', server], {
    encoding: 'utf8',
  });
  expect([ended.status, ended.stdout]).toEqual([exitCode, '']);
  expect(ended.stderr).toMatch(/^[^\n]+\n$/);
  expect(ended.stderr.startsWith(problem)).toBe(true);
});

test('access-token.mjs gets a token of an issuer whose name ends in a slash', async () => {
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? ''];
    response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer ?? {}));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answers: Readonly<Record<string, object>> = {
    '/.well-known/oauth-protected-resource': {
      authorization_servers: [`${url}/issuer/`],
      modulectl: { client_id: 'modulectl', scope: 'openid' },
    },
    '/issuer/.well-known/openid-configuration': {
      device_authorization_endpoint: `${url}/device`,
      token_endpoint: `${url}/token`,
    },
    '/device': { device_code: 'code', interval: 0.01, user_code: 'BCDF', verification_uri: `${url}/page` },
    '/token': { access_token: 'the-token' },
  };
  const run = promisify(execFile)(process.execPath, ['docs/deployment/access-token.mjs', url]);
  expect((await run).stdout).toBe('the-token\n');
});

test('each variable of a command is set by an earlier one, or named by the text', () => {
  const text = readFileSync('docs/operators.md', 'utf8');
  const set = new Set([...text.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name));
  // Settings are in a file, and not in the shell.
  set.delete('PUBLIC_URL');
  const unset: string[] = [];
  for (const line of shellBlocks('docs/operators.md').join('\n').split('\n')) {
    for (const [, name = ''] of line.matchAll(/(?:^|\s|for )([A-Za-z_]\w*)(?:=| in )/g)) set.add(name);
    for (const [, name = ''] of line.matchAll(/\$\{?([A-Za-z_]\w*)/g)) if (!set.has(name)) unset.push(name);
  }
  expect(unset).toEqual([]);
});
