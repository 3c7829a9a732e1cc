import { readFile, stat } from 'node:fs/promises';
import process from 'node:process';
import { withoutEndSlashes } from '../config/without-end-slashes.ts';
import type { Cli } from './cli.ts';
import { CannotRunError, reasonOf } from './exit-codes.ts';

/** Where the server is and who asks it; null where nothing says so. */
export interface Settings {
  /** Without a trailing slash. */
  readonly server: string | null;
  /** A bearer token: never shown. */
  readonly token: string | null;
  readonly organization: string | null;
}

const NAMES = ['server', 'token', 'organization'] as const;

const NONE: Settings = { server: null, token: null, organization: null };

/** Others on the machine may read a file of one of these modes. */
const READABLE_BY_OTHERS = 0o077;

/**
 * The settings in force: a flag before the environment, and that before the config file.
 * @throws CannotRunError where one of them is wrong.
 */
export async function readSettings(cli: Cli, flags: Partial<Settings> = {}): Promise<Settings> {
  const { environment } = cli;
  const file = await readConfigFile(cli);
  const of = (name: keyof Settings) => flags[name] ?? environment[name] ?? file[name];
  const server = of('server');
  return {
    server: server === null ? null : checkedServer(server),
    token: of('token'),
    organization: of('organization'),
  };
}

/** The address is not repeated: it may hold a password. */
function checkedServer(server: string): string {
  const url = URL.canParse(server) ? new URL(server) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new CannotRunError('The address of the server must begin with http:// or https://.');
  if (url.username !== '' || url.password !== '')
    throw new CannotRunError(
      'The address of the server must not hold a user or a password; use MODULECTL_TOKEN.',
    );
  return withoutEndSlashes(`${url.origin}${url.pathname}`);
}

async function readConfigFile({ environment: { configFile }, output }: Cli): Promise<Settings> {
  const text = await readOptional(configFile);
  if (text === null) return NONE;
  const file = parseConfig(configFile, text);
  if (file.token === null || !(await isReadableByOthers(configFile))) return file;
  output.warn(
    `The token in ${configFile} is not used, because others can read the file. Run: chmod 600 '${configFile}'`,
  );
  return { ...file, token: null };
}

async function readOptional(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return null;
    throw new CannotRunError(`Cannot read ${file}: ${reasonOf(error)}.`);
  }
}

/** Windows keeps access in lists that a mode does not show. */
async function isReadableByOthers(file: string): Promise<boolean> {
  return process.platform !== 'win32' && ((await stat(file)).mode & READABLE_BY_OTHERS) !== 0;
}

/** What is wrong is told by member, and no value is shown: one is the token. */
function parseConfig(file: string, text: string): Settings {
  const parsed = parseObject(text);
  if (parsed === null) throw new CannotRunError(`${file} must be a JSON object.`);
  const read: Record<keyof Settings, string | null> = { ...NONE };
  for (const [name, value] of Object.entries(parsed)) {
    const known = NAMES.find((each) => each === name);
    if (known === undefined)
      throw new CannotRunError(`${file} has an unknown member. It may hold ${NAMES.join(', ')}.`);
    if (typeof value !== 'string' && value !== null)
      throw new CannotRunError(`${file}: ${known} must be a text.`);
    read[known] = typeof value === 'string' ? value : null;
  }
  return read;
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
