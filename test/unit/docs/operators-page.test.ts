import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '../../../shared/config/config.ts';
import { connectionNeeds } from '../../../shared/process/connection-needs.ts';
import { shellBlocks } from '../../support/page-blocks.ts';

const FILE = 'docs/operators.md';
const PAGE = readFileSync(FILE, 'utf8');

function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}

function anchorsOf(file: string): readonly string[] {
  return [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => anchorOf(title));
}

test.each([FILE, 'docs/capacity.md'])('each link of %s leads to a file, and to a heading of it', (page) => {
  const links = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(5);
  for (const link of links) {
    const [name = '', anchor] = link.split('#');
    const file = name === '' ? page : path.join('docs', name);
    expect(existsSync(file), link).toBe(true);
    if (anchor !== undefined) expect(anchorsOf(file), link).toContain(anchor);
  }
});

test('each setting that the page names is one', () => {
  const known = readFileSync('.env.example', 'utf8');
  const names = [
    ...PAGE.matchAll(/`((?:AUTH|CLI|PORTAL|S3|DATABASE|REDIS|METRICS|IMPORT|MAX|SESSION|API)_[A-Z0-9_]+)/g),
  ].map(([, name = '']) => name.replace(/_FILE$/, ''));
  expect(names.length).toBeGreaterThan(30);
  for (const name of names.filter((each) => !each.endsWith('_')))
    expect(known).toMatch(new RegExp(`^${name}=|\\b${name}\\b`, 'm'));
});

test('each command that the page runs is a program of the service', () => {
  const runs = [...PAGE.matchAll(/module-import ((?:api|shared|worker)\/[a-z/-]+)/g)].map(
    ([, name = '']) => name,
  );
  const files = [...PAGE.matchAll(/dist\/([a-z/-]+)-command\.js/g)].map(([, name = '']) => name);
  expect(runs.length).toBeGreaterThan(3);
  for (const name of [...runs, ...files]) expect(existsSync(`${name}-command.ts`), name).toBe(true);
});

test('each command of Compose runs the version of .env and the workers of docker-compose.yml', () => {
  const commands = PAGE.split('\n').filter((line) => line.includes('docker compose '));
  expect(commands.length).toBeGreaterThan(10);
  for (const command of commands) expect(command).not.toMatch(/VERSION=\S* docker compose|--scale/);
  const versions = shellBlocks(FILE).filter((block) => /^VERSION=|\bs\/\^VERSION=/m.test(block));
  expect(versions).toEqual([
    expect.stringContaining('cat > .env <<END\nVERSION='),
    expect.stringMatching(/^sed .* \.env\ndocker compose /),
  ]);
});

test('KEDA finds the workers and the address of their database, which the shell writes without a line break', () => {
  const manifest = (name: string) => readFileSync(`docs/deployment/kubernetes/${name}.yaml`, 'utf8');
  const settings = parse(manifest('settings')) as { data: Record<string, string> };
  const worker = parseAllDocuments(manifest('worker'))[0]?.toJS() as {
    metadata: { name: string; namespace: string };
    spec: { template: { spec: { volumes: readonly { secret: { secretName: string } }[] } } };
  };
  const { name, namespace } = worker.metadata;
  const [volume] = worker.spec.template.spec.volumes;
  const [, block = ''] = /^```yaml\n(apiVersion: keda.*?)^```$/ms.exec(PAGE) ?? [];
  const [authentication, scaled] = parseAllDocuments(block).map((each) => each.toJS() as unknown);
  const key = path.basename(settings.data['DATABASE_URL_FILE'] ?? '');
  expect(authentication).toMatchObject({
    kind: 'TriggerAuthentication',
    metadata: { namespace },
    spec: { secretTargetRef: [{ parameter: 'connection', name: volume?.secret.secretName, key }] },
  });
  const { metadata } = authentication as { metadata: { name: string } };
  expect(scaled).toMatchObject({
    kind: 'ScaledObject',
    metadata: { namespace },
    spec: { scaleTargetRef: { name }, triggers: [{ authenticationRef: { name: metadata.name } }] },
  });
  expect(PAGE).toMatch(new RegExp(`^printf %s "[^"]+" > ${key}$`, 'm'));
});

test('the connections of an API process and of a worker are those that the doctor expects', () => {
  const { database } = loadConfig({});
  const needs = (redisUrl: string | null) => [
    connectionNeeds({ database, redisUrl }, { api: 1, workers: 0 }),
    connectionNeeds({ database, redisUrl }, { api: 0, workers: 1 }),
  ];
  const [api = 0, worker = 0] = needs('redis://127.0.0.1');
  const [apiWithQueue = 0, workerWithQueue = 0] = needs(null);
  const text = PAGE.replaceAll(/\s+/g, ' ');
  expect(text).toContain(`An API process opens up to ${api} connections: `);
  expect(text).toContain(`A worker opens up to ${worker}: `);
  expect(text).toContain(
    `A queue in PostgreSQL takes up to ${apiWithQueue - api} more for an API process, and up to ${workerWithQueue - worker} more for a worker.`,
  );
});

test('the page says what to do about each alert', () => {
  const { groups } = parse(readFileSync('docs/observability/alert-rules.yaml', 'utf8')) as {
    groups: readonly { rules: readonly { alert: string }[] }[];
  };
  const section = PAGE.slice(PAGE.indexOf('\n## Alerts\n'));
  for (const { alert } of groups.flatMap(({ rules }) => rules)) expect(section).toContain(`| \`${alert}\``);
});
