import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig, loadMigrationConfig } from '../../../shared/config/config.ts';
import { maxStopMs } from '../../../shared/process/run-process.ts';
import { readDockerfile, textsOf } from '../../support/dockerfile.ts';

interface ComposeService {
  readonly environment?: Readonly<Record<string, string>>;
  readonly networks: readonly string[];
  readonly stop_grace_period?: string;
  readonly user?: string;
  readonly deploy: { readonly replicas?: number };
  readonly build?: string | { readonly dockerfile_inline: string };
}

const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
};
const ours = Object.entries(compose.services).filter(([, service]) => service.build === '.');
const stages = readDockerfile(readFileSync('Dockerfile', 'utf8'));
const final = stages.at(-1);
if (final === undefined) throw new Error('the Dockerfile has no stage');

function serviceOf(name: string): ComposeService {
  const service = compose.services[name];
  if (service === undefined) throw new Error(`there is no service ${name}`);
  return service;
}

/** Values for the variables that no generated secret fits. */
const GIVEN: Readonly<Record<string, string>> = {
  AUTH_ISSUER: 'https://id.example',
  ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
};

/** A service's environment with its variables replaced: those that are not set by their default value, or by a secret. */
function environmentOf(name: string, set: Readonly<Record<string, string>> = {}): Record<string, string> {
  const image = textsOf(final!, 'ENV').flatMap((text) => text.split(' ').map((each) => each.split('=')));
  const own = Object.entries(serviceOf(name).environment ?? {}).map(([key, value]) => [
    key,
    value.replaceAll(
      // `:+` has a value only where the variable is set.
      /\$\{(\w+)(?::-([^}]*)|:\+[^}]*|:\?[^}]*)\}/g,
      (text, variable: string, standard?: string) =>
        set[variable] ?? standard ?? (text.includes(':+') ? '' : (GIVEN[variable] ?? 'secret')),
    ),
  ]);
  return Object.fromEntries([...image, ...own]) as Record<string, string>;
}

describe('docker-compose.yml', () => {
  test('no secret has a default value', () => {
    const text = readFileSync('docker-compose.yml', 'utf8');
    const named = [...text.matchAll(/\$\{(\w*(?:PASSWORD|KEYS?|KEY_ID|ISSUER))(?=[:}])(:.)?/g)];
    expect(named.length).toBeGreaterThan(5);
    for (const [whole, , operator] of named) expect(operator, whole).toBe(':?');
  });

  test.each(['api', 'worker'])('%s gets settings that production accepts as they are', (name) => {
    const config = loadConfig(environmentOf(name));
    expect(config).toMatchObject({ production: true, allowEmbedded: false });
    expect(config.s3?.endpoint).toBe('http://s3:7070');
  });

  test.each(['api', 'worker'])('%s gets PUBLIC_URL, without which SMTP_URL is refused', (name) => {
    const environment = environmentOf(name, { PUBLIC_URL: 'https://modules.example' });
    const config = loadConfig({ ...environment, SMTP_URL: 'smtp://mail.example?from=a@mail.example' });
    expect(config.server.publicUrl).toBe('https://modules.example');
  });

  test.each(['api', 'worker'])(
    '%s uses most of the time that Compose allows for its stop, and ends before it',
    (name) => {
      const stopSeconds = maxStopMs(loadConfig(environmentOf(name))) / 1_000;
      const graceSeconds = Number(/^(\d+)s$/.exec(serviceOf(name).stop_grace_period ?? '')?.[1]);
      expect(stopSeconds).toBeLessThan(graceSeconds);
      expect(stopSeconds).toBeGreaterThan(graceSeconds / 2);
    },
  );

  test('the workers are those that the page counts for the doctor', () => {
    const [, workers] =
      /`docker compose run .*doctor-command\.js .*--workers (\d+)`/.exec(
        readFileSync('docs/operators.md', 'utf8'),
      ) ?? [];
    expect(serviceOf('worker').deploy.replicas).toBe(Number(workers));
  });

  test('migrate gets only the database', () => {
    expect(Object.keys(serviceOf('migrate').environment ?? {})).toEqual(['DATABASE_URL']);
    expect(loadMigrationConfig(environmentOf('migrate')).url).toBe(environmentOf('api')['DATABASE_URL']);
  });

  test.each(ours)('%s sets nothing that .env.example does not know', (_, service) => {
    const known = [...readFileSync('.env.example', 'utf8').matchAll(/^([A-Z0-9_]+)=/gm)].map(
      ([, name]) => name,
    );
    expect(known).toEqual(expect.arrayContaining(Object.keys(service.environment ?? {})));
  });

  test('URLs name services of this file, on the network that both are in', () => {
    for (const [name, { networks }] of [...ours, ['backup', serviceOf('backup')] as const]) {
      const urls = Object.entries(environmentOf(name)).filter(([key]) => /_URL$|_ENDPOINT$/.test(key));
      for (const [key, url] of urls.filter(([, value]) => value !== '')) {
        expect(
          serviceOf(new URL(url).hostname).networks.some((each) => networks.includes(each)),
          key,
        ).toBe(true);
      }
    }
  });

  test('API, worker and backup reach the internet, and nothing else does', () => {
    const isOpen = (network: string) => compose.networks[network]?.internal !== true;
    const open = Object.entries(compose.services).filter(([, { networks }]) => networks.some(isOpen));
    expect(open.map(([name]) => name)).toEqual(['api', 'worker', 'backup']);
  });

  test('no service runs as root', () => {
    for (const [name, { build, user }] of Object.entries(compose.services)) {
      const dockerfile =
        typeof build === 'string'
          ? readFileSync(path.join(build, 'Dockerfile'), 'utf8')
          : build?.dockerfile_inline;
      const own = dockerfile?.match(/^USER (\S+)$/m)?.[1];
      expect(user ?? own, name).toMatch(/^(?:postgres|valkey|65532:65532)$/);
    }
  });
});
