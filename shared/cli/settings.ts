import { stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseMembers } from '../package/schema/read-members.ts';
import { CannotRunError } from './exit-codes.ts';
import type { Output } from './output.ts';
import { readIfExists } from './temporary.ts';

/** The variables of an environment. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The server, the token and the organization; null if not set. */
export interface Settings {
  readonly server: string | null;
  /** A bearer token: never printed. */
  readonly token: string | null;
  readonly organization: string | null;
}

/** Settings from the environment of the process. */
export type Environment = ReturnType<typeof readEnvironment>;

/** The used part of standard input. */
export interface InputStream extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
}

/** The context of every command. */
export interface Cli {
  readonly environment: Environment;
  readonly input: InputStream;
  readonly output: Output;
  /** The exit code of the process; one of `EXIT`. */
  exitCode: number;
}

const NONE: Settings = { server: null, token: null, organization: null };
/** Mode bits that let other users read a file. */
const READABLE_BY_OTHERS = 0o077;

/** Reads the variables of `modulectl`; an empty one counts as unset. */
export function readEnvironment(variables: Variables = process.env) {
  const text = (name: string) => variables[name]?.trim() || null;
  const configFolder = baseFolder(variables, 'XDG_CONFIG_HOME', '.config');
  return {
    server: text('MODULECTL_SERVER'),
    token: text('MODULECTL_TOKEN'),
    organization: text('MODULECTL_ORG'),
    configFile: path.join(configFolder, 'config.json'),
    signInsFile: path.join(configFolder, 'sign-ins.json'),
    /** Keeps the signing secret and the cursors of delivered events. */
    eventsFolder: path.join(configFolder, 'events'),
    /** For data that can be fetched again. */
    cacheFolder: baseFolder(variables, 'XDG_CACHE_HOME', '.cache'),
    /** An API key of a module: never printed. */
    apiKey: text('MODULECTL_KEY'),
    /** The ID of the module that the key belongs to. */
    module: text('MODULECTL_MODULE'),
    /** How a CI run gets a token that says which run it is. */
    ciToken: {
      /** The token itself, as GitLab puts it into a variable. */
      token: text('MODULECTL_ID_TOKEN'),
      /** Where GitHub gives tokens to a job with `permissions: id-token: write`, and the credential of the job for that. */
      requestUrl: text('ACTIONS_ID_TOKEN_REQUEST_URL'),
      requestToken: text('ACTIONS_ID_TOKEN_REQUEST_TOKEN'),
    },
    colour: colourOf(variables),
  };
}

/**
 * https://no-color.org and https://force-color.org: set and not empty; FORCE_COLOR=0 disables colour, as in Node. Null: colour
 * if the output is a terminal.
 */
function colourOf(variables: Variables): boolean | null {
  const forced = variables['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  if ((variables['NO_COLOR'] ?? '') !== '' || variables['TERM'] === 'dumb') return false;
  return null;
}

/** The XDG base directories; a relative path in such a variable is ignored. */
function baseFolder(variables: Variables, name: string, standard: string): string {
  const folder = variables[name] ?? '';
  return path.join(path.isAbsolute(folder) ? folder : path.join(os.homedir(), standard), 'modulectl');
}

/**
 * The settings in force: a flag overrides the environment, which overrides the config file.
 * @throws CannotRunError if one of them is not valid.
 */
export async function readSettings(
  { environment, output }: Pick<Cli, 'environment' | 'output'>,
  flags: { readonly [name in keyof Settings]?: string | undefined } = {},
): Promise<Settings> {
  const file = await readConfigFile(environment.configFile, output);
  const of = (name: keyof Settings) => flags[name] ?? environment[name] ?? file[name];
  const server = of('server');
  return {
    server: server === null ? null : checkedServer(server),
    token: of('token'),
    organization: of('organization'),
  };
}

const SOURCES: Readonly<Record<keyof Settings, string>> = {
  server: '--server, set MODULECTL_SERVER',
  token: '--token, set MODULECTL_TOKEN',
  organization: '--org, set MODULECTL_ORG',
};

/** A setting that a command cannot do without. @throws CannotRunError, whose message ends in the hint */
export function requiredSetting(settings: Settings, name: keyof Settings, hint = ''): string {
  const value = settings[name];
  if (value !== null) return value;
  throw new CannotRunError(
    `No ${name} is set. Use ${SOURCES[name]}, or add "${name}" to the config file.${hint}`,
  );
}

/**
 * A token or a key that a header can have: messages of `fetch` repeat one that is not valid.
 * @throws CannotRunError, without the secret
 */
export function headerSecret(name: string, secret: string): string {
  const trimmed = secret.trim();
  if (/^[!-~]*$/.test(trimmed)) return trimmed;
  throw new CannotRunError(
    `The ${name} contains a character that is not allowed, such as a line break or a space. Set it again.`,
  );
}

/** Messages do not repeat the address: it may contain a password. */
function checkedServer(server: string): string {
  const url = URL.canParse(server) ? new URL(server) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new CannotRunError('The address of the server must start with http:// or https://.');
  if (url.username !== '' || url.password !== '')
    throw new CannotRunError(
      'The address of the server must not contain a user or a password. Use MODULECTL_TOKEN.',
    );
  const { origin, pathname } = url;
  return origin + (pathname.endsWith('/') ? pathname.slice(0, -1) : pathname);
}

async function readConfigFile(file: string, output: Output): Promise<Settings> {
  const text = await readIfExists(file);
  if (text === null) return NONE;
  const settings = parseConfig(file, text);
  if (settings.token === null || !(await isReadableByOthers(file))) return settings;
  output.warn(
    `Ignoring the token in ${file}: other users can read the file. Run: ${makePrivateCommand(file)}`,
  );
  return { ...settings, token: null };
}

/** The command that makes a file readable by its owner alone, for a POSIX shell. */
export function makePrivateCommand(file: string): string {
  return `chmod 600 '${file.replaceAll("'", String.raw`'\''`)}'`;
}

/** Whether other users can read a file. On Windows the mode does not show the access lists. */
export async function isReadableByOthers(file: string): Promise<boolean> {
  return process.platform !== 'win32' && ((await stat(file)).mode & READABLE_BY_OTHERS) !== 0;
}

/** Messages do not contain values: one is the token. */
function parseConfig(file: string, text: string): Settings {
  const members = parseMembers(text);
  if (members === null) throw new CannotRunError(`${file} must be a JSON object.`);
  if (Object.keys(members).some((name) => !Object.hasOwn(NONE, name)))
    throw new CannotRunError(
      `${file} has an unknown property. The properties are ${Object.keys(NONE).join(', ')}.`,
    );
  const of = (name: keyof Settings) => {
    const value = members[name] ?? null;
    if (typeof value === 'string' || value === null) return value;
    throw new CannotRunError(`${file}: ${name} must be a string.`);
  };
  return { server: of('server'), token: of('token'), organization: of('organization') };
}
