import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { ensureDatabase } from '../../shared/local/postgres.ts';
import { makeBucket } from '../support/part-servers.ts';
import { startBackupSite, type BackupSite } from './support/backup-site.ts';

const MANIFESTS = 'docs/deployment/kubernetes';
const SECRETS = '/run/secrets/module-import/';

interface Container {
  readonly image: string;
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Volume {
  readonly name: string;
  readonly secret?: { readonly items?: readonly { readonly key: string }[] };
}

const folder = path.join(inject('scratch'), `kubernetes-backup-${randomUUID()}`);
let site: BackupSite;

beforeAll(async () => {
  site = await startBackupSite(folder);
});

afterAll(() => site.stop());

/** The first object of a manifest. */
async function objectOf(file: string): Promise<Readonly<Record<string, unknown>>> {
  const [document] = parseAllDocuments(await readFile(path.join(MANIFESTS, file), 'utf8'));
  return document?.toJS() as Readonly<Record<string, unknown>>;
}

/** The pod of the CronJob. */
async function podOfBackup() {
  const { spec } = (await objectOf('backup.yaml')) as {
    spec: { jobTemplate: { spec: { template: { spec: { containers: Container[]; volumes: Volume[] } } } } };
  };
  return spec.jobTemplate.spec.template.spec;
}

test('the CronJob backs up with its settings, the secrets that it mounts, and a volume for each folder it writes', async () => {
  const { containers, volumes } = await podOfBackup();
  const [container] = containers;
  const { data } = (await objectOf('settings.yaml')) as { data: Readonly<Record<string, string>> };
  const dockerfile = await readFile('docs/deployment/Dockerfile', 'utf8');
  const home = / HOME=(\S+)$/m.exec(dockerfile)?.[1];
  const workingFolder = /^WORKDIR (\S+)$/m.exec(dockerfile)?.[1];
  const mounted = container?.volumeMounts.map(({ mountPath }) => mountPath);
  expect(mounted).toEqual(expect.arrayContaining([home, workingFolder]));

  // Only the files of the Secret that the pod mounts are there.
  const items = volumes.find(({ name }) => name === 'secrets')?.secret?.items ?? [];
  const given = {
    ...data,
    ...Object.fromEntries(container?.env.map(({ name, value }) => [name, value]) ?? []),
  };
  const read = ['DATABASE_URL_FILE', 'DATABASE_LISTEN_URL_FILE'].map((name) => given[name]);
  expect(read).toEqual(items.map(({ key }) => `${SECRETS}${key}`));
  expect(mounted).toContain(path.dirname(given['RCLONE_CONFIG'] ?? ''));

  const bucket = (await makeBucket(inject('s3Endpoint') ?? ''))['S3_BUCKET'] ?? '';
  const database = await ensureDatabase(site.postgres.url, 'cluster');
  const output = await site.run(['docs/deployment/back-up'], { S3_BUCKET: bucket, DATABASE_URL: database });
  expect(output).toMatch(/^backup \S+Z$/m);
});

test('each component of the manifests has its image in kustomization.yaml', async () => {
  const { images, resources } = (await objectOf('kustomization.yaml')) as {
    images: { name: string }[];
    resources: string[];
  };
  const texts = await Promise.all(resources.map((file) => readFile(path.join(MANIFESTS, file), 'utf8')));
  const used = texts.flatMap((text) => [...text.matchAll(/^ +image: (\S+)$/gm)].map(([, name]) => name));
  expect(new Set(used)).toEqual(new Set(images.map(({ name }) => name)));
});
