import { childEnvironment, readConfig } from './config.ts';
import { decodedPart, SECRET_SETTINGS, SettingsReader, type Environment } from './settings-reader.ts';

/** The settings of an environment, valid or not. */
export type CheckedSettings = ReturnType<typeof checkSettings>;

/** Reads all settings, as a process does at its start, and finds variables that have no effect. */
export function checkSettings(environment: Environment = childEnvironment({})) {
  const read = new SettingsReader(environment);
  const config = readConfig(read);
  const { issues } = read;
  const known = knownSettings();
  const set = Object.keys(environment).filter((name) => (environment[name]?.trim() ?? '') !== '');
  /** Variables that are no settings and look like one: each with the setting that was probably meant. */
  const misspelt = set
    .filter((name) => !known.includes(name))
    .flatMap((name) => likelySettings(name, known).map((likely) => [name, likely] as const));
  return {
    config: issues.length > 0 ? null : config,
    issues,
    secrets: secretTexts(environment, read),
    misspelt,
  };
}

/** The names of all settings. */
export function knownSettings(): readonly string[] {
  // Those of S3 are read only where there is a bucket.
  const read = new SettingsReader({ S3_BUCKET: 'bucket' });
  readConfig(read);
  return [...read.values.keys()].toSorted();
}

/** A shorter name is similar to too many others. */
const SHORTEST_NAME = 6;

/** The setting that a variable probably means; none where it looks like none. */
function likelySettings(name: string, known: readonly string[]): readonly string[] {
  const settings = known.filter((each) => each.length >= SHORTEST_NAME);
  const similar = settings.filter((each) => areSimilar(plain(name), plain(each)));
  return [...similar, ...settings.filter((each) => isPart(each, name) || isPart(name, each))].slice(0, 1);
}

/** `AUTH_ISSUER_URL` for `AUTH_ISSUER`; a single word, such as `PORT`, is part of too many names. */
function isPart(short: string, long: string): boolean {
  return short.includes('_') && long.startsWith(`${short}_`);
}

function plain(name: string): string {
  return name.replaceAll(/[_-]/g, '').toUpperCase();
}

/** Two characters were swapped or are others, or at most two were left out. */
function areSimilar(one: string, other: string): boolean {
  const [short = '', long = ''] = [one, other].toSorted((a, b) => a.length - b.length);
  if (short.length === long.length)
    return Array.from(short).filter((character, index) => character !== long[index]).length <= 2;
  let found = 0;
  for (const character of long) if (character === short[found]) found += 1;
  return found === short.length && long.length - short.length <= (short.length < 10 ? 1 : 2);
}

/** A shorter text could be part of any word. */
const SHORTEST_SECRET = 6;

/** The secrets of the settings, and the passwords in their addresses, also as they are encoded there. */
function secretTexts(environment: Environment, read: SettingsReader): readonly string[] {
  const values = SECRET_SETTINGS.flatMap((name) => read.optional(name)?.split(',') ?? []);
  const passwords = [...Object.values(environment), ...values].flatMap((value = '') => {
    if (!URL.canParse(value)) return [];
    const { password } = new URL(value);
    // Any program's variables are here: a % in them may encode nothing.
    return password === '' ? [] : [password, decodedPart(password) ?? password];
  });
  return [...values.filter((value) => !URL.canParse(value)), ...passwords].filter(
    (text) => text.length >= SHORTEST_SECRET,
  );
}
