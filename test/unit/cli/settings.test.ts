import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Output } from '../../../shared/cli/output.ts';
import { readEnvironment, readSettings } from '../../../shared/cli/settings.ts';

let folder: string;
let talk: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'modulectl-test-'));
  talk = '';
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function writeConfig(content: unknown, mode = 0o600): Promise<void> {
  const file = path.join(folder, 'modulectl/config.json');
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  await chmod(file, mode);
}

function read(variables: Record<string, string> = {}, flags: { server?: string } = {}) {
  const environment = readEnvironment({ XDG_CONFIG_HOME: folder, ...variables });
  const stream = { write: (text: string) => (talk += text) };
  return readSettings({ environment, output: new Output(stream, stream, false) }, flags);
}

test('a flag overrides the environment, which overrides the config file', async () => {
  await writeConfig({ server: 'https://file.example', token: 'f', organization: 'o' });
  expect(await read()).toEqual({ server: 'https://file.example', token: 'f', organization: 'o' });
  const variables = { MODULECTL_SERVER: 'https://variable.example/', MODULECTL_TOKEN: 'v' };
  expect(await read(variables)).toEqual({
    server: 'https://variable.example',
    token: 'v',
    organization: 'o',
  });
  expect((await read(variables, { server: 'http://flag.example/base/' })).server).toBe(
    'http://flag.example/base',
  );
});

test('without any of them there is no server, and no token', async () => {
  expect(await read({ MODULECTL_TOKEN: ' ' })).toEqual({ server: null, token: null, organization: null });
});

test('a token that others can read is ignored, and not shown', async () => {
  await writeConfig({ server: 'https://file.example', token: 'secret-token' }, 0o644);
  expect(await read()).toMatchObject({ server: 'https://file.example', token: null });
  expect(talk).toMatch(/^warning: Ignoring the token in .*config\.json: other users can read/);
  expect(talk).not.toContain('secret-token');
});

test('a config file without a token may be read by others', async () => {
  await writeConfig({ server: 'https://file.example' }, 0o644);
  expect(await read()).toMatchObject({ server: 'https://file.example' });
  expect(talk).toBe('');
});

test.each([
  ['invalid JSON', '{"token": "secret-token"'],
  ['a list', ['secret-token']],
  ['an unknown member', { 'secret-token': 1 }],
  ['a member of another type', { token: { value: 'secret-token' } }],
  ['a server with a password', { server: 'https://me:secret-token@server.example' }],
  ['a server of another protocol', { server: 'file:///secret-token' }],
])('a config file with %s is refused, and nothing of it is shown', async (_title, content) => {
  await writeConfig(content);
  const refused = read();
  await expect(refused).rejects.toThrow(/config\.json|address of the server/);
  await expect(refused).rejects.not.toThrow('secret-token');
});

test('output to a terminal is coloured, unless NO_COLOR or FORCE_COLOR says otherwise', () => {
  const colour = (variables: Record<string, string>) => readEnvironment(variables).colour;
  expect(colour({})).toBeNull();
  expect(colour({ NO_COLOR: '' })).toBeNull();
  expect(colour({ NO_COLOR: '1' })).toBe(false);
  expect(colour({ TERM: 'dumb' })).toBe(false);
  expect(colour({ FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(true);
  expect(colour({ FORCE_COLOR: '0' })).toBe(false);
});

test('each stream decides on colour separately, and JSON is escaped only on a terminal', () => {
  const output = { a: '', b: '' };
  const terminal = { isTTY: true, write: (text: string) => (output.a += text) };
  const pipe = { write: (text: string) => (output.b += text) };
  const toPipe = new Output(pipe, terminal, null);
  expect([toPipe.dataIsColoured, toPipe.messagesAreColoured]).toEqual([false, true]);
  const json = { a: '\u202e\x9b\u{e0001}' };
  toPipe.json(json);
  new Output(terminal, pipe, null).json(json);
  expect(output.b).toBe(`${JSON.stringify(json)}\n`);
  expect(output.a).toBe('{"a":"\\u202e\\u009b\\udb40\\udc01"}\n');
  expect(JSON.parse(output.a)).toEqual(json);
});
