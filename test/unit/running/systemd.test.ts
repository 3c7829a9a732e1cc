import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadConfig } from '../../../shared/config/config.ts';
import { maxStopMs } from '../../../shared/process/run-process.ts';
import { SECRET_SETTINGS } from '../../../shared/config/settings-reader.ts';
import { readUnit, unitEnvironment } from '../../support/read-unit.ts';

const API = 'module-import-api@.service';
const WORKER = 'module-import-worker@.service';
const credentials = mkdtempSync(path.join(os.tmpdir(), 'credentials-'));
const SECRETS: Readonly<Record<string, string>> = {
  'database-url': 'postgres://modules:secret@127.0.0.1/modules',
  'redis-url': 'redis://:secret@127.0.0.1:6379',
  's3-access-key-id': 'access',
  's3-secret-access-key': 'secret',
  'encryption-keys': `k1:${Buffer.alloc(32).toString('base64')}`,
};

afterAll(() => rmSync(credentials, { recursive: true }));

/** All values of a setting of a unit. */
function valuesOf(unit: string, setting: string): string[] {
  return readUnit(unit)
    .filter(([name]) => name === setting)
    .map(([, value]) => value);
}

const nameOf = (setting: string) => setting.toLowerCase().replaceAll('_', '-');

test('each secret is a credential with a setting that names its file', () => {
  for (const setting of SECRET_SETTINGS) {
    const name = nameOf(setting);
    expect(valuesOf(API, 'LoadCredential')).toContain(`${name}:/etc/module-import/secrets/${name}`);
    expect(valuesOf(API, 'Environment')).toContain(`${setting}_FILE=%d/${name}`);
  }
});

test.each([API, WORKER])(
  '%s gets settings that production accepts, with the secrets that are not used empty, and ends before systemd kills it',
  (unit) => {
    for (const setting of SECRET_SETTINGS)
      writeFileSync(path.join(credentials, nameOf(setting)), `${SECRETS[nameOf(setting)] ?? ''}\n`);
    const environment = unitEnvironment(unit, { credentials, instance: '1' });
    const { HOME, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: isQuiet, ...settings } = environment;
    // The S3 client does not work without a home, and complains about Node 20 at each start.
    expect([HOME, isQuiet]).toEqual(['/tmp', 'true']);
    const known = readFileSync('.env.example', 'utf8');
    for (const name of Object.keys(settings))
      expect(known).toMatch(new RegExp(`^${name.replace(/_FILE$/, '')}=`, 'm'));
    const config = loadConfig(environment);
    expect(config.production).toBe(true);
    const stopSeconds = maxStopMs(config) / 1_000;
    expect(stopSeconds).toBeLessThan(Number(valuesOf(unit, 'TimeoutStopSec')[0]));
  },
);
