import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { ENDPOINTS } from '../../../api/endpoints.ts';
import { loadConfig } from '../../../shared/config/config.ts';
import { maxStopMs } from '../../../shared/process/run-process.ts';
import { SECRET_SETTINGS } from '../../../shared/config/settings-reader.ts';

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

  test.each(['api', 'worker'])('%s gets settings that production accepts, and time to stop', (name) => {
    const { pod, container } = podOf('Deployment', name);
    const own = (container.env ?? []).map((each) => [each.name, each.value] as const);
    const plain = Object.entries(settings).filter(([key]) => !key.endsWith('_FILE'));
    const environment = { NODE_ENV: 'production', ...Object.fromEntries([...plain, ...own]), ...GIVEN };
    const known = readFileSync('.env.example', 'utf8');
    for (const key of Object.keys(environment)) expect(known).toMatch(new RegExp(`^${key}=`, 'm'));
    const stopSeconds = maxStopMs(loadConfig(environment)) / 1_000;
    expect(stopSeconds).toBeLessThanOrEqual(pod.terminationGracePeriodSeconds ?? 30);
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
