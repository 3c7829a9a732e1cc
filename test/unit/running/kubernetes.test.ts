import { readdirSync, readFileSync } from 'node:fs';
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { ENDPOINTS } from '../../../api/endpoints.ts';
import { loadConfig } from '../../../shared/config/config.ts';
import { maxStopMs } from '../../../shared/process/run-process.ts';
import { SECRET_SETTINGS } from '../../../shared/config/settings-reader.ts';
import { isPublicAddress } from '../../../shared/outbound/public-address.ts';
import { HOSTILE_ADDRESSES } from '../../support/hostile-addresses.ts';

const FOLDER = 'docs/deployment/kubernetes';
const GIVEN: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://db/modules',
  REDIS_URL: 'redis://queue',
  ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
};

interface Probe {
  readonly httpGet?: { readonly path: string; readonly port: string };
}

interface Container {
  readonly args: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly ports?: readonly { readonly name: string }[];
  readonly securityContext: unknown;
  readonly resources: unknown;
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
}

/** A rule of a network policy: to whom, at which ports. */
interface Egress {
  readonly to: readonly {
    readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
  }[];
  readonly ports: readonly { readonly port: number; readonly protocol: string }[];
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: {
      readonly metadata: { readonly labels: unknown };
      readonly spec: {
        readonly terminationGracePeriodSeconds?: number;
        readonly securityContext: unknown;
        readonly containers: readonly Container[];
      };
    };
    readonly selector?: { readonly matchLabels?: unknown };
    readonly policyTypes?: readonly string[];
    readonly podSelector?: {
      readonly matchLabels?: Readonly<Record<string, string>>;
      readonly matchExpressions?: readonly { readonly values: readonly string[] }[];
    };
    readonly egress?: readonly Egress[];
  };
}

const manifests = readdirSync(FOLDER).flatMap((file) =>
  parseAllDocuments(readFileSync(path.join(FOLDER, file), 'utf8')).map(
    (document) => document.toJS() as Manifest,
  ),
);

function manifestOf(kind: string, name: string): Manifest {
  const found = manifests.find((each) => each.kind === kind && each.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
}

const settings = manifestOf('ConfigMap', 'module-import-settings').data ?? {};

/** The pod of a workload and its only container. */
function podOf(kind: string, name: string) {
  const pod = manifestOf(kind, name).spec?.template?.spec;
  const [container] = pod?.containers ?? [];
  if (pod === undefined || container === undefined) throw new Error(`${name} has no container`);
  return { pod, container };
}

describe('the Kubernetes manifests', () => {
  test('each secret is a file of the Secret', () => {
    const folder = '/run/secrets/module-import';
    for (const setting of SECRET_SETTINGS)
      expect(settings[`${setting}_FILE`]).toBe(`${folder}/${setting.toLowerCase().replaceAll('_', '-')}`);
  });

  test.each(['api', 'worker'])('%s gets settings that production accepts, and ends in time', (name) => {
    const { pod, container } = podOf('Deployment', name);
    const own = (container.env ?? []).map((each) => [each.name, each.value] as const);
    const plain = Object.entries(settings).filter(([key]) => !key.endsWith('_FILE'));
    const environment = { NODE_ENV: 'production', ...Object.fromEntries([...plain, ...own]), ...GIVEN };
    const known = readFileSync('.env.example', 'utf8');
    for (const key of Object.keys(environment)) expect(known).toMatch(new RegExp(`^${key}=`, 'm'));
    const stopSeconds = maxStopMs(loadConfig(environment)) / 1_000;
    expect(stopSeconds).toBeLessThan(pod.terminationGracePeriodSeconds ?? 30);
  });

  test.each(['api', 'worker'])('the probes of %s call endpoints of ADMIN_PORT', (name) => {
    const { container } = podOf('Deployment', name);
    for (const probe of [container.startupProbe, container.readinessProbe, container.livenessProbe]) {
      expect(ENDPOINTS.map(({ path: each }) => each)).toContain(probe?.httpGet?.path);
      expect(probe?.httpGet?.port).toBe('admin');
    }
    expect(container.readinessProbe?.httpGet?.path).toBe('/readyz');
    expect(container.livenessProbe?.httpGet?.path).toBe('/livez');
  });

  test.each([
    ['Deployment', 'api', 2],
    ['Deployment', 'worker', 3],
    ['Job', 'migrate', undefined],
  ])('%s %s runs without rights, on a read-only file system, with limits', (kind, name, replicas) => {
    const { pod, container } = podOf(kind, name);
    expect(manifestOf(kind, name).spec?.replicas).toBe(replicas);
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 65_532,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.resources).toMatchObject({ requests: {}, limits: {} });
    expect(readFileSync('Dockerfile', 'utf8')).toContain('USER 65532:65532');
  });

  test.each(['api', 'worker'])('the selectors of %s select its pods', (name) => {
    const labels = manifestOf('Deployment', name).spec?.template?.metadata.labels;
    expect(manifestOf('Deployment', name).spec?.selector?.matchLabels).toEqual(labels);
    expect(manifestOf('PodDisruptionBudget', name).spec?.selector?.matchLabels).toEqual(labels);
  });
});

const COMPONENT = 'app.kubernetes.io/component';

/** The policies of this component that limit what its pods call. */
function egressPoliciesOf(component: string): readonly Manifest[] {
  return manifests.filter(({ kind, spec }) => {
    if (kind !== 'NetworkPolicy' || spec?.policyTypes?.includes('Egress') !== true) return false;
    const { matchLabels, matchExpressions = [] } = spec.podSelector ?? {};
    return (
      matchLabels?.[COMPONENT] === component ||
      matchExpressions.some(({ values }) => values.includes(component))
    );
  });
}

function contains(cidr: string, address: string): boolean {
  const [network = '', prefix = ''] = cidr.split('/');
  const familyOf = (text: string) => (isIPv6(text) ? 'ipv6' : 'ipv4');
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), familyOf(network));
  return list.check(address, familyOf(address));
}

/** Whether a pod may call the address: policies add up, and without one for its calls everything is allowed. */
function mayReach(component: string, address: string, port: number): boolean {
  const policies = egressPoliciesOf(component);
  const rules = policies.flatMap(({ spec }) => spec?.egress ?? []);
  return (
    policies.length === 0 ||
    rules.some(
      ({ to, ports }) =>
        ports.some((each) => each.port === port && each.protocol === 'TCP') &&
        to.some(
          ({ ipBlock }) =>
            ipBlock !== undefined &&
            contains(ipBlock.cidr, address) &&
            !(ipBlock.except ?? []).some((each) => contains(each, address)),
        ),
    )
  );
}

describe('the network policies', () => {
  test.each([
    ['worker', '93.184.216.34', 443, true],
    ['worker', '2606:2800:220:1::34', 443, true],
    ['worker', '93.184.216.34', 587, true],
    ['worker', '10.1.2.3', 5432, true],
    ['worker', '10.1.2.3', 443, true],
    ['worker', '93.184.216.34', 22, false],
    ['worker', '169.254.169.254', 443, false],
    ['worker', 'fd00::1', 443, false],
    ['worker', '192.168.1.1', 443, false],
    ['worker', '192.168.1.1', 5432, false],
    ['migrate', '10.1.2.3', 5432, true],
    ['migrate', '93.184.216.34', 443, false],
    ['api', '93.184.216.34', 443, true],
  ])('%s to %s, port %i: %s', (component, address, port, isAllowed) => {
    expect(mayReach(component, address, port)).toBe(isAllowed);
  });

  test('the worker reaches the addresses that webhooks may have, and of the others only those of its own parts', () => {
    const names = Object.values(HOSTILE_ADDRESSES)
      .flat()
      .filter((each) => URL.canParse(each));
    const hosts = names.map((each) => new URL(each).hostname.replace(/^\[(.*)\]$/, '$1'));
    const addresses = [
      '8.8.8.8',
      '1.1.1.1',
      '2001:4860:4860::8888',
      ...hosts.filter((each) => isIP(each) !== 0),
    ];
    // An IPv4-mapped address leaves as its IPv4 address.
    const own = (each: string) => /^::ffff:/.test(each) || (isIPv4(each) && contains('10.0.0.0/8', each));
    expect(addresses.length).toBeGreaterThan(30);
    for (const address of addresses.filter((each) => !own(each)))
      expect([address, mayReach('worker', address, 443)]).toEqual([address, isPublicAddress(address)]);
  });
});
