import os from 'node:os';
import path from 'node:path';
import process from 'node:process';

export type Variables = Readonly<Record<string, string | undefined>>;

/** What the command line takes from the environment of its process. */
export interface Environment {
  readonly server: string | null;
  readonly token: string | null;
  readonly organization: string | null;
  readonly configFile: string;
  /** A folder of our own for what can be fetched again. */
  readonly cacheFolder: string;
  /** Null where only the terminal decides. */
  readonly colour: boolean | null;
}

/** https://no-color.org and https://force-color.org: set and not empty; FORCE_COLOR=0 forbids, as Node takes it. */
function colourOf(variables: Variables): boolean | null {
  const forced = variables['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  if ((variables['NO_COLOR'] ?? '') !== '' || variables['TERM'] === 'dumb') return false;
  return null;
}

/** The XDG base directories; a relative path in such a variable is to be ignored. */
function baseFolder(variables: Variables, name: string, standard: string): string {
  const folder = variables[name] ?? '';
  return path.join(path.isAbsolute(folder) ? folder : path.join(os.homedir(), standard), 'modulectl');
}

/** Reads the variables that `modulectl` knows; an empty one counts as unset. */
export function readEnvironment(variables: Variables = process.env): Environment {
  const text = (name: string) => variables[name]?.trim() || null;
  return {
    server: text('MODULECTL_SERVER'),
    token: text('MODULECTL_TOKEN'),
    organization: text('MODULECTL_ORG'),
    configFile: path.join(baseFolder(variables, 'XDG_CONFIG_HOME', '.config'), 'config.json'),
    cacheFolder: baseFolder(variables, 'XDG_CACHE_HOME', '.cache'),
    colour: colourOf(variables),
  };
}
