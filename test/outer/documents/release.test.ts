import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { shellBlockWith } from '../../support/page-blocks.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const { version } = packageJson;
const TAG = `v${version}`;
const VERIFY = shellBlockWith('docs/releases.md', 'SHA256SUMS.sig');
const clone = path.join(inject('scratch'), `release-${randomUUID()}`);
const files = path.join(clone, 'dist/releases', TAG);

function git(...args: readonly string[]): string {
  return execFileSync('git', [...args], { cwd: clone, encoding: 'utf8', maxBuffer: 2 ** 28 });
}

function release(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync('npm', ['run', '--silent', 'release', '--', ...args], { cwd: clone, encoding: 'utf8' });
}

/** Runs the commands of the page in the folder of the files. */
function verify(): { status: number | null; stdout: string; stderr: string } {
  return spawnSync('sh', ['-ec', VERIFY], { cwd: files, encoding: 'utf8' });
}

// A repository with the files of this one, and its dependencies. Files keep their times: what is compiled stays so.
beforeAll(() => {
  mkdirSync(clone);
  const tracked = execFileSync('git', ['ls-tree', '--name-only', 'HEAD'], { cwd: ROOT, encoding: 'utf8' });
  const copied = [...tracked.trim().split('\n'), 'dist'].filter((name) => existsSync(path.join(ROOT, name)));
  execFileSync('cp', ['-a', ...copied, clone], { cwd: ROOT });
  rmSync(path.join(clone, 'dist/releases'), { recursive: true, force: true });
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(clone, 'node_modules'));
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Tester');
  git('config', 'user.email', 'tester@example.com');
  appendFileSync(path.join(clone, '.git/info/exclude'), 'node_modules\n');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Everything');
});

test('a dry run makes all files with signed checksums, and changes nothing in the repository', () => {
  const state = () => [git('status', '--porcelain'), git('for-each-ref'), git('rev-parse', 'HEAD')];
  const before = state();
  const { status, stdout, stderr } = release('--dry-run');
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(state()).toEqual(before);
  expect(stdout).toMatch(
    new RegExp(`runs: git push --atomic origin [0-9a-f]{40}:refs/heads/main refs/tags/${TAG}\n$`),
  );

  const signed = [
    ...['alert-rules.json', 'catalogue.json', 'module-schema.json', `modulectl-${version}.tgz`],
    ...[`module-import-service-${version}.tar.gz`, 'openapi.json', 'roles-entities.json', 'sbom.cdx.json'],
  ];
  const sums = readFileSync(path.join(files, 'SHA256SUMS'), 'utf8');
  expect([...sums.matchAll(/^[0-9a-f]{64} {2}(.*)$/gm)].map(([, name]) => name).toSorted()).toEqual(
    signed.toSorted(),
  );
  expect(readdirSync(files).toSorted()).toEqual(
    [...signed, 'SHA256SUMS', 'SHA256SUMS.sig', 'release-key.pem'].toSorted(),
  );
  expect(verify()).toMatchObject({ status: 0 });

  const archive = path.join(files, `module-import-service-${version}.tar.gz`);
  const changelog = execFileSync(
    'tar',
    ['--extract', '--to-stdout', '--file', archive, `module-import-service-${version}/CHANGELOG.md`],
    { encoding: 'utf8' },
  );
  expect(changelog).toMatch(new RegExp(`\n## Unreleased\n\n## ${version} - \\d{4}-\\d\\d-\\d\\d\n`));

  // What is changed afterwards is noticed: a file, and the checksums with it.
  appendFileSync(path.join(files, 'openapi.json'), ' ');
  expect(verify().status).not.toBe(0);
  execFileSync('sh', ['-c', 'sha256sum *.json *.tgz *.tar.gz >SHA256SUMS'], { cwd: files });
  expect(verify()).toMatchObject({ status: 1, stdout: 'Signature Verification Failure\n' });
});

test.each<[string, () => void, () => void, RegExp]>([
  [
    'a work tree with changes',
    () => appendFileSync(path.join(clone, 'README.md'), '\n'),
    () => git('checkout', '--quiet', 'README.md'),
    /work tree has changes[^]*README\.md/,
  ],
  [
    'a version with a tag',
    () => git('tag', TAG),
    () => git('tag', '--delete', TAG),
    /was released: the tag v/,
  ],
  [
    'a changelog without changes',
    () => {
      writeFileSync(path.join(clone, 'CHANGELOG.md'), '# Changelog\n\n## Unreleased\n');
      git('commit', '--quiet', '--all', '--message', 'Nothing');
    },
    () => git('reset', '--quiet', '--hard', 'HEAD~1'),
    /no changes under "## Unreleased"/,
  ],
])('a release of %s is refused', (_, change, undo, message) => {
  change();
  try {
    expect(release('--dry-run')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(message) as unknown,
    });
  } finally {
    undo();
  }
});

test('a release without a key, or with one that is not Ed25519, is refused', () => {
  expect(release()).toMatchObject({ status: 1, stderr: expect.stringContaining('--key FILE') as unknown });
  const file = path.join(clone, '.git/key.pem');
  execFileSync('openssl', ['genpkey', '-algorithm', 'rsa', '-out', file], { stdio: 'ignore' });
  expect(release('--key', file)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('not Ed25519') as unknown,
  });
  rmSync(file);
});
