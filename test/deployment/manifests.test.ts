import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, inject, test } from 'vitest';

const UNITS = 'docs/deployment/systemd';
const MANIFESTS = 'docs/deployment/kubernetes';
const INSTANCES = [
  'module-import-api@8081.service',
  'module-import-worker@1.service',
  'module-import-restore@2027-11-20T021500Z.service',
  'module-import-backup.service',
];

/** A root folder with the units where docs/operators.md copies them, and the programs that they start. */
function rootWithUnits(): string {
  const root = mkdtempSync(path.join(inject('scratch'), 'root-'));
  const units = path.join(root, 'etc/systemd/system');
  cpSync(UNITS, units, { recursive: true });
  for (const each of INSTANCES.filter((name) => name.includes('@')))
    cpSync(path.join(UNITS, `${each.split('@')[0] ?? ''}@.service`), path.join(units, each));
  for (const program of ['/bin/sh', '/usr/bin/node', '/opt/module-import/current/docs/deployment/back-up']) {
    mkdirSync(path.join(root, path.dirname(program)), { recursive: true });
    writeFileSync(path.join(root, program), '', { mode: 0o755 });
  }
  cpSync(
    path.join(root, '/opt/module-import/current/docs/deployment/back-up'),
    path.join(root, '/opt/module-import/current/docs/deployment/restore'),
  );
  // The units that this kind refers to.
  for (const target of ['basic', 'sysinit', 'multi-user', 'timers', 'shutdown', 'network-online'])
    writeFileSync(path.join(units, `${target}.target`), '[Unit]\nDescription=for the test\n');
  return root;
}

describe('the systemd units', () => {
  test('systemd accepts every unit without a warning', () => {
    const root = rootWithUnits();
    const names = [...INSTANCES, 'module-import-backup.timer'];
    const { status, stdout, stderr } = spawnSync(
      'systemd-analyze',
      ['verify', `--root=${root}`, '--man=no', '--recursive-errors=no', ...names],
      { encoding: 'utf8' },
    );
    expect([status, stdout + stderr]).toEqual([0, '']);
    rmSync(root, { recursive: true });
  });

  test.each(INSTANCES)('systemd rates the exposure of %s as OK', (unit) => {
    const root = rootWithUnits();
    const said = execFileSync(
      'systemd-analyze',
      ['security', '--offline=yes', `--root=${root}`, '--threshold=25', '--no-pager', unit],
      { encoding: 'utf8' },
    );
    expect(said).toMatch(/Overall exposure level for .*: [01]\.\d OK/);
    rmSync(root, { recursive: true });
  });
});

test('kubectl-validate accepts every Kubernetes manifest', () => {
  const files = readdirSync(MANIFESTS)
    .filter((file) => file !== 'kustomization.yaml')
    .map((file) => path.join(MANIFESTS, file));
  expect(files.length).toBeGreaterThan(5);
  const { status, stdout, stderr } = spawnSync('kubectl-validate', files, { encoding: 'utf8' });
  expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('OK')]);
});

test('the parser of Compose accepts docker-compose.yml', () => {
  // Another test replaces the variables.
  const args = ['-no-interpolation', '-format', 'json', 'docker-compose.yml'];
  const model = JSON.parse(execFileSync('compose-spec', args, { encoding: 'utf8' })) as { services: object };
  expect(Object.keys(model.services)).toEqual(
    expect.arrayContaining(['api', 'worker', 'migrate', 'postgres', 'valkey', 's3']),
  );
});
