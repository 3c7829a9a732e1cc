import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../shared/config/config.ts';
import { SettingsError } from '../../../shared/config/settings-reader.ts';

function issuesOf(environment: Record<string, string>): readonly string[] {
  try {
    loadConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.issues;
    throw error;
  }
}

test('with nothing set, every part is the local one', () => {
  const config = loadConfig({});
  expect(config).toMatchObject({ redisUrl: null, s3: null, database: { url: null }, auth: { issuer: null } });
  expect(config.server).toMatchObject({ host: '127.0.0.1', port: 8080 });
});

test('all issues are reported at once, each with the name of its setting', () => {
  const issues = issuesOf({
    PORT: 'http',
    MAX_ENTRIES: '0',
    S3_ENDPOINT: 'x',
    LOG_LEVEL: 'loud',
    REQUIRED_FOLDERS: 'Attic',
  });
  expect(issues.map((issue) => issue.split(' ', 1)[0])).toEqual(
    expect.arrayContaining(['PORT', 'MAX_ENTRIES', 'S3_ENDPOINT', 'LOG_LEVEL', 'REQUIRED_FOLDERS']),
  );
});

test('an issue does not repeat the text of a URL, which may contain a password', () => {
  expect(issuesOf({ DATABASE_URL: 'mysql://me:geheim@host/db' }).join()).not.toContain('geheim');
});

test('an empty value is treated as unset', () => {
  expect(loadConfig({ PORT: ' ', REDIS_URL: '' })).toMatchObject({ redisUrl: null, server: { port: 8080 } });
});

test('without an issuer only loopback addresses are accepted', () => {
  expect(issuesOf({ HOST: '0.0.0.0' })).toHaveLength(1);
  expect(issuesOf({ HOST: '0.0.0.0', AUTH_ISSUER: 'https://id.example' })).toEqual([]);
});

test('production refuses every part that is not set', () => {
  expect(issuesOf({ NODE_ENV: 'production' })).toHaveLength(4);
});

test('ALLOW_EMBEDDED never covers identity', () => {
  expect(issuesOf({ NODE_ENV: 'production', ALLOW_EMBEDDED: '1' })).toEqual([
    'AUTH_ISSUER must be set in production',
  ]);
});

test('.env.example names every setting that is read, and no other', () => {
  const read = new Set<string>();
  const spy = new Proxy<Record<string, string>>(
    {},
    {
      get: (_target, name) => {
        read.add(String(name));
        return undefined;
      },
    },
  );
  loadConfig(spy);
  loadConfig(
    new Proxy<Record<string, string>>(
      {},
      {
        get: (_target, name) => {
          read.add(String(name));
          return name === 'S3_BUCKET' ||
            (String(name).startsWith('S3_') && name !== 'S3_ENDPOINT' && name !== 'S3_FORCE_PATH_STYLE')
            ? 'x'
            : undefined;
        },
      },
    ),
  );
  const documented = [...readFileSync('.env.example', 'utf8').matchAll(/^([A-Z0-9_]+)=/gm)].map(
    ([, name]) => name,
  );
  expect(documented.toSorted()).toEqual([...read].toSorted());
});

test('.env.example shows the default values', () => {
  const lines = [...readFileSync('.env.example', 'utf8').matchAll(/^([A-Z0-9_]+)=(.*)$/gm)];
  const shown = Object.fromEntries(lines.map(([, name, value]) => [name, value ?? '']));
  expect(loadConfig(shown)).toEqual(loadConfig({}));
});
