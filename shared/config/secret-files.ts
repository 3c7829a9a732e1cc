import { readFileSync } from 'node:fs';
import { SettingsError } from './settings-reader.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that hold a secret. Each may stand in a file, whose path `<NAME>_FILE` gives. */
export const SECRET_SETTINGS = [
  'DATABASE_URL',
  'DATABASE_LISTEN_URL',
  'REDIS_URL',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'PORTAL_CLIENT_SECRET',
  'METRICS_TOKEN',
] as const;

/**
 * An environment in which secrets that stand in files are read; a line break at the end does not count.
 * @throws SettingsError where a file cannot be read, or where a secret is given twice.
 */
export function withSecretFiles(environment: Environment): Environment {
  const faults: string[] = [];
  const found: Record<string, string> = {};
  for (const name of SECRET_SETTINGS) {
    const file = environment[`${name}_FILE`]?.trim() ?? '';
    if (file === '') continue;
    if ((environment[name]?.trim() ?? '') !== '') {
      faults.push(`${name} and ${name}_FILE are both set: keep one`);
      continue;
    }
    try {
      found[name] = readFileSync(file, 'utf8').trimEnd();
    } catch {
      faults.push(`${name}_FILE names a file that cannot be read: ${file}`);
    }
  }
  if (faults.length > 0) throw new SettingsError(faults);
  return { ...environment, ...found };
}
