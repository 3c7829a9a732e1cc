import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkSettings, knownSettings } from '../../../shared/config/check-settings.ts';

test('every setting of .env.example is known, so none is taken for a misspelt one', () => {
  const documented = [...readFileSync('.env.example', 'utf8').matchAll(/^([A-Z][A-Z0-9_]+)=/gm)];
  const names = documented.map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(50);
  expect(knownSettings()).toEqual(expect.arrayContaining(names));
  const environment = Object.fromEntries(names.map((name) => [name, '1']));
  expect(checkSettings(environment).misspelt).toEqual([]);
});

test.each([
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASE_POOLSIZE', 'DATABASE_POOL_SIZE'],
  ['S3_BUCKTE', 'S3_BUCKET'],
  ['AUTH_ISSUER_URL', 'AUTH_ISSUER'],
  ['S3_SECRET', 'S3_SECRET_ACCESS_KEY'],
  ['AUTH_ISSUER_FILE', 'AUTH_ISSUER'],
  ['redis_url', 'REDIS_URL'],
])('%s looks like a misspelt %s', (name, likely) =>
  expect(checkSettings({ [name]: 'x' }).misspelt).toEqual([[name, likely]]),
);

test.each([
  'PATH',
  'HOSTNAME',
  'REDIS_SERVICE_HOST',
  'NODE_VERSION',
  'LANG',
  'HOME',
  'AWS_REGION',
  'REDIS_PORT',
])('%s is not taken for a misspelt setting', (name) =>
  expect(checkSettings({ [name]: 'x' }).misspelt).toEqual([]),
);

test('all issues are found at once', () => {
  const { config, issues } = checkSettings({ PORT: 'http', DATABASE_URL: 'mysql://a/b' });
  expect(issues).toHaveLength(2);
  expect(config).toBeNull();
});

test('the texts that must not be shown include passwords in addresses, as they are and as they are encoded', () => {
  const { secrets } = checkSettings({
    DATABASE_URL: 'postgres://me:ge%2Fheim@host/db',
    METRICS_TOKEN: 'x'.repeat(20),
  });
  expect(secrets).toEqual(expect.arrayContaining(['ge%2Fheim', 'ge/heim', 'x'.repeat(20)]));
});
