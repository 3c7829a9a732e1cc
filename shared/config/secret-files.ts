import { readFileSync } from 'node:fs';
import { SettingsError } from './settings-reader.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that contain a secret. Each may be in a file, whose path is in `<NAME>_FILE`. */
export const SECRET_SETTINGS = [
  'DATABASE_URL',
  'DATABASE_LISTEN_URL',
  'REDIS_URL',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'PORTAL_CLIENT_SECRET',
  'METRICS_TOKEN',
  'ENCRYPTION_KEYS',
] as const;

/**
 * An environment with the secrets that are in files; a line break at the end of a file is ignored.
 * @throws SettingsError where a file cannot be read, or where a secret is set in both ways.
 */
export function withSecretFiles(environment: Environment): Environment {
  const issues: string[] = [];
  const found: Record<string, string> = {};
  for (const name of SECRET_SETTINGS) {
    const file = environment[`${name}_FILE`]?.trim() ?? '';
    if (file === '') continue;
    if ((environment[name]?.trim() ?? '') !== '') {
      issues.push(`${name} and ${name}_FILE are both set: keep one`);
      continue;
    }
    try {
      found[name] = readFileSync(file, 'utf8').trimEnd();
    } catch {
      issues.push(`${name}_FILE names a file that cannot be read: ${file}`);
    }
  }
  if (issues.length > 0) throw new SettingsError(issues);
  return { ...environment, ...found };
}
