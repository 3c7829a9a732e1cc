import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig, loadMigrationConfig } from '../../../shared/config/config.ts';
import { copiesOf, readDockerfile, textsOf } from '../../support/dockerfile.ts';

interface ComposeService {
  readonly image: string;
  readonly build?: string;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly disable?: boolean; readonly test?: readonly string[] };
  readonly ports?: readonly string[];
  readonly networks: readonly string[];
  readonly restart: string;
  readonly stop_grace_period?: string;
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly deploy: {
    readonly resources: { readonly limits: { cpus: string; memory: string; pids: number } };
  };
}

const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
};
const services = Object.entries(compose.services);
const ours = services.filter(([, service]) => service.build !== undefined);
const stages = readDockerfile(readFileSync('Dockerfile', 'utf8'));
const final = stages.at(-1);
if (final === undefined) throw new Error('the Dockerfile has no stage');

function serviceOf(name: string): ComposeService {
  const service = compose.services[name];
  if (service === undefined) throw new Error(`there is no service ${name}`);
  return service;
}

/** A service's environment with its variables replaced: those with a standard value by it, others by a secret. */
function environmentOf(name: string): Record<string, string> {
  const image = textsOf(final!, 'ENV').flatMap((text) => text.split(' ').map((each) => each.split('=')));
  const own = Object.entries(serviceOf(name).environment ?? {}).map(([key, value]) => [
    key,
    value.replaceAll(
      /\$\{(\w+)(?::-([^}]*)|:\?[^}]*)\}/g,
      (_, variable: string, standard?: string) =>
        standard ?? (variable === 'AUTH_ISSUER' ? 'https://id.example' : 'secret'),
    ),
  ]);
  return Object.fromEntries([...image, ...own]) as Record<string, string>;
}

describe('docker-compose.yml', () => {
  test('names the services api, worker, migrate, postgres, valkey and s3', () => {
    expect(Object.keys(compose.services).toSorted()).toEqual([
      'api',
      'migrate',
      'postgres',
      's3',
      'valkey',
      'worker',
    ]);
  });

  test.each(services)('%s cannot change itself, gain rights, or take the whole machine', (_, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    expect(Object.keys(service.deploy.resources.limits).toSorted()).toEqual(['cpus', 'memory', 'pids']);
  });

  test.each(services.filter(([, service]) => service.build === undefined))(
    '%s is of an exact version',
    (_, service) => {
      expect(service.image).toMatch(/:v?\d+\.\d+(?:\.\d+)?(?:-[a-z]+)?$/);
    },
  );

  test('api, worker and migrate run one image', () => {
    expect(ours.map(([name]) => name).toSorted()).toEqual(['api', 'migrate', 'worker']);
    expect(new Set(ours.map(([, { image }]) => image)).size).toBe(1);
  });

  test('no secret has a standard value', () => {
    const text = readFileSync('docker-compose.yml', 'utf8');
    const named = [...text.matchAll(/\$\{(\w*(?:PASSWORD|KEY|KEY_ID|ISSUER))(?=[:}])(:.)?/g)];
    expect(named.length).toBeGreaterThan(5);
    for (const [whole, , operator] of named) expect(operator, whole).toBe(':?');
  });

  test.each(['api', 'worker'])('%s gets settings that production accepts as they are', (name) => {
    const config = loadConfig(environmentOf(name));
    expect(config).toMatchObject({ production: true, allowEmbedded: false });
    expect(config.s3?.endpoint).toBe('http://s3:7070');
  });

  test.each(['api', 'worker'])(
    '%s has most of the time that Compose gives it to stop, and no more',
    (name) => {
      const { leaveSeconds, drainSeconds } = loadConfig(environmentOf(name)).server;
      const graceSeconds = Number(/^(\d+)s$/.exec(serviceOf(name).stop_grace_period ?? '')?.[1]);
      expect(leaveSeconds + drainSeconds).toBeLessThan(graceSeconds);
      expect(leaveSeconds + drainSeconds).toBeGreaterThan(graceSeconds / 2);
    },
  );

  test('migrate gets the database and nothing else', () => {
    expect(Object.keys(serviceOf('migrate').environment ?? {})).toEqual(['DATABASE_URL']);
    expect(loadMigrationConfig(environmentOf('migrate')).url).toBe(environmentOf('api')['DATABASE_URL']);
  });

  test.each(ours)('%s sets nothing that .env.example does not know', (_, service) => {
    const known = [...readFileSync('.env.example', 'utf8').matchAll(/^([A-Z0-9_]+)=/gm)].map(
      ([, name]) => name,
    );
    expect(known).toEqual(expect.arrayContaining(Object.keys(service.environment ?? {})));
  });

  test('addresses lead to services of these names, on the network that both are in', () => {
    for (const [name, { networks }] of ours) {
      const urls = Object.entries(environmentOf(name)).filter(([key]) => /_URL$|_ENDPOINT$/.test(key));
      for (const [key, url] of urls.filter(([, value]) => value !== '')) {
        expect(
          serviceOf(new URL(url).hostname).networks.some((each) => networks.includes(each)),
          key,
        ).toBe(true);
      }
    }
  });

  test('the service starts after migrate has ended well and the parts are healthy', () => {
    const wanted = {
      migrate: { condition: 'service_completed_successfully' },
      postgres: { condition: 'service_healthy' },
      valkey: { condition: 'service_healthy' },
      s3: { condition: 'service_healthy' },
    };
    expect(serviceOf('api').depends_on).toEqual(wanted);
    expect(serviceOf('worker').depends_on).toEqual(wanted);
    expect(serviceOf('migrate').depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
    for (const part of ['postgres', 'valkey', 's3']) expect(serviceOf(part).healthcheck?.test).toBeDefined();
  });

  test('only the API is reached from outside, by default from this machine alone', () => {
    expect(services.filter(([, { ports }]) => ports !== undefined).map(([name]) => name)).toEqual(['api']);
    expect(serviceOf('api').ports).toEqual(['${API_ADDRESS:-127.0.0.1}:${API_PORT:-8080}:8080']);
    expect(compose.networks['back']).toEqual({ internal: true });
  });

  test('the queue keeps its keys and its log', () => {
    const command = serviceOf('valkey').command?.join(' ');
    expect(command).toContain('--maxmemory-policy noeviction');
    expect(command).toContain('--appendonly yes');
  });
});

describe('Dockerfile', () => {
  test('every stage starts from one exact version of Node, one that package.json allows', () => {
    const bases = [...new Set(stages.map(({ from }) => from))];
    expect(bases).toHaveLength(1);
    expect(bases[0]).toMatch(/^node:2\d\.\d+\.\d+-bookworm-slim$/);
  });

  test('what is copied is there, and .dockerignore lets it through', () => {
    const let_through = readFileSync('.dockerignore', 'utf8').match(/(?<=^!).*$/gm) ?? [];
    const sources = stages.flatMap((stage) =>
      copiesOf(stage)
        .filter(({ from }) => from === null)
        .flatMap((copy) => copy.sources),
    );
    for (const source of sources) expect(existsSync(source), source).toBe(true);
    expect(let_through.toSorted()).toEqual([...new Set(sources)].toSorted());
  });

  test('the image runs as a user that is not root, and starts what is compiled', () => {
    expect(textsOf(final, 'USER')).toEqual(['65532:65532']);
    expect(textsOf(final, 'ENTRYPOINT')).toEqual(['["node"]']);
    const [command = '[]'] = textsOf(final, 'CMD');
    const [check = ''] = textsOf(final, 'HEALTHCHECK');
    const scripts = [
      ...(JSON.parse(command) as string[]),
      ...ours.flatMap(([, service]) => service.command ?? []),
      /dist\/\S+\.js/.exec(check)?.[0] ?? '',
    ];
    expect(scripts).toHaveLength(4);
    for (const script of scripts)
      expect(existsSync(script.replace(/^dist\/(.*)\.js$/, '$1.ts')), script).toBe(true);
  });
});
