import { childEnvironment, readConfig, type Config } from './config.ts';
import { likelySetting } from './likely-setting.ts';
import { SECRET_SETTINGS, withSecretFiles } from './secret-files.ts';
import { SettingsError, SettingsReader } from './settings-reader.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings of an environment, valid or not. */
export interface CheckedSettings {
  /** Where a setting has an issue, its default. */
  readonly config: Config;
  readonly issues: readonly string[];
  /** Variables that are no settings and look like one: each with the setting that was probably meant. */
  readonly misspelt: readonly (readonly [name: string, likely: string])[];
  /** Texts that must not be shown. */
  readonly secrets: readonly string[];
}

/** Reads all settings, and finds every issue, without throwing. */
export function checkSettings(environment: Environment = childEnvironment({})): CheckedSettings {
  const { found, issues } = secretsOf(environment);
  const read = new SettingsReader(found);
  const config = readConfig(read);
  const known = new Set([...read.names, ...knownSettings()]);
  const misspelt = Object.keys(environment).flatMap((name) => {
    const likely = known.has(name) || isEmpty(environment[name]) ? null : likelySetting(name, known);
    return likely === null ? [] : [[name, likely] as const];
  });
  return { config, issues: [...issues, ...read.issues], misspelt, secrets: secretTexts(found) };
}

/** The names of all settings. */
export function knownSettings(): readonly string[] {
  // Some are read only where another one is set.
  const read = new SettingsReader({ S3_BUCKET: 'bucket', METRICS_PORT: '0' });
  readConfig(read);
  return [...read.names, ...SECRET_SETTINGS.map((name) => `${name}_FILE`)];
}

function isEmpty(value: string | undefined): boolean {
  return (value?.trim() ?? '') === '';
}

function secretsOf(environment: Environment): { found: Environment; issues: readonly string[] } {
  try {
    return { found: withSecretFiles(environment), issues: [] };
  } catch (error) {
    if (error instanceof SettingsError) return { found: environment, issues: error.issues };
    throw error;
  }
}

/** A shorter text could be part of any word. */
const SHORTEST_SECRET = 6;

/** The secrets of the settings, and the passwords in their addresses, also as they are encoded there. */
function secretTexts(environment: Environment): readonly string[] {
  const values = SECRET_SETTINGS.flatMap((name) => environment[name]?.split(',') ?? []);
  const passwords = Object.values(environment).flatMap((value = '') => {
    if (!URL.canParse(value)) return [];
    const { password } = new URL(value);
    return password === '' ? [] : [password, decodeURIComponent(password)];
  });
  return [...values.filter((value) => !URL.canParse(value)), ...passwords].filter(
    (text) => text.length >= SHORTEST_SECRET,
  );
}
