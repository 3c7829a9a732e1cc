import { randomUUID } from 'node:crypto';
import { chmod, cp, mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, inject, test } from 'vitest';
import type { Problem } from '../../../shared/package/problem.ts';
import { replacePlaceholders } from '../../support/replace-placeholders.ts';
import { runHere } from '../../support/run-modulectl.ts';
import { startTestApp } from '../../support/test-app.ts';

const EXAMPLE = path.resolve(import.meta.dirname, '../../fixtures/example-module');

let scratch: string;

beforeEach(async () => {
  scratch = path.join(inject('scratch'), `modulectl-${randomUUID()}`);
  await mkdir(scratch, { recursive: true });
});

const run = (...args: string[]) => runHere(args, { scratch, cwd: scratch });

describe('init', () => {
  test('writes a folder whose only warnings are its placeholders, each with its location', async () => {
    const made = await run('init', 'soil-moisture');
    expect([made.exitCode, made.stderr]).toEqual([0, '']);
    expect(made.stdout).toContain('dataAreaIds');
    const checked = await run('check', 'soil-moisture', '--json');
    const { warnings } = JSON.parse(checked.stdout) as { warnings: readonly Problem[] };
    const translation = (index: number) =>
      [
        'shortDescription',
        'description',
        'websiteUrl',
        'supportContact',
        'dataAreaReasons',
        'dataAreaReasons',
      ].map((name) => `/translations/${index}/${name}`);
    const located = warnings.map(({ code, entry = '', pointer }) => {
      expect(code).toBe('layout-placeholder');
      return pointer?.replace(/(?<=dataAreaReasons)\/.*/, '') ?? entry;
    });
    const files = [
      'PackageArtifact/build/index.html',
      'ModuleToS/terms-en.md',
      'ModulePrivacy/privacy-en.md',
    ];
    expect(located.toSorted()).toEqual([...[0, 1, 2].flatMap(translation), ...files].toSorted());
  });

  test('writes a folder that passes check without a warning once its placeholders are replaced, and packs and imports on a server', async () => {
    await run('init', 'soil-moisture');
    await replacePlaceholders(path.join(scratch, 'soil-moisture'));
    expect(await run('check', 'soil-moisture')).toEqual({
      exitCode: 0,
      stdout: '✓ soil-moisture passes.\n',
      stderr: '',
    });
    const packed = await run('pack', 'soil-moisture');
    expect([packed.exitCode, packed.stderr]).toEqual([0, '']);
    const app = await startTestApp();
    try {
      const zip = await readFile(path.join(scratch, 'soil-moisture.zip'));
      const answer = await app.importPackage(await app.organization(), zip);
      expect(answer.body).toMatchObject({ outcome: 'created', warnings: [] });
    } finally {
      await app.stop();
    }
  });

  test('links the schemas of the configured server, and names the module after the folder', async () => {
    await run('init', 'a', '--server', 'https://modules.example/', '--name', 'Frost <alarm>');
    const text = await readFile(path.join(scratch, 'a/moduleSchema.json'), 'utf8');
    expect(JSON.parse(text)).toMatchObject({
      $schema: 'https://modules.example/schemas/module-schema.json',
      scope: 'frostAlarm',
      translations: Array.from({ length: 3 }, () => ({ moduleName: 'Frost <alarm>' })),
    });
    const rules = await readFile(path.join(scratch, 'a/AlertRuleDefinitionFile/alert-rules.yaml'), 'utf8');
    expect(rules).toMatch(
      /^# yaml-language-server: \$schema=https:\/\/modules\.example\/schemas\/alert-rules\.json$/m,
    );
  });

  test('refuses a folder that is not empty, and does not change it', async () => {
    await mkdir(path.join(scratch, 'full'));
    await writeFile(path.join(scratch, 'full/a'), 'mine');
    const made = await run('init', 'full');
    expect([made.exitCode, made.stdout]).toEqual([2, '']);
    expect(made.stderr).toBe('modulectl: The folder full is not empty. Choose a new one.\n');
    expect(await readdir(path.join(scratch, 'full'))).toEqual(['a']);
  });
});

describe('check', () => {
  test('of a bad folder exits 1, with the report on standard output only', async () => {
    await cp(EXAMPLE, path.join(scratch, 'bad'), { recursive: true });
    await rm(path.join(scratch, 'bad/ModuleLogo/logo.svg'));
    const { exitCode, stdout, stderr } = await run('check', 'bad');
    expect([exitCode, stderr]).toEqual([1, '']);
    expect(stdout).toMatch(/error descriptor-file-missing {2}bad\/moduleSchema\.json:\d+:15\n/);
    expect(stdout).toMatch(/\n +\d+ │ {7}"file": "ModuleLogo\/logo\.svg",\n +│ {15}\^\n/);
    expect(stdout).toMatch(/✗ bad is rejected: 1 error, 1 warning\.\n$/);
  });

  test('reports litter on standard error and links as an error', async () => {
    await cp(EXAMPLE, path.join(scratch, 'a'), { recursive: true });
    await writeFile(path.join(scratch, 'a/.DS_Store'), 'x');
    const passed = await run('check', 'a', '--json');
    expect(passed).toEqual({
      exitCode: 0,
      stdout: '{"errors":[],"warnings":[],"errorsTotal":0,"unlistedErrors":[]}\n',
      stderr: 'Left out (created by the operating system): .DS_Store\n',
    });
    await symlink('/etc/passwd', path.join(scratch, 'a/ModuleToS/terms.md'));
    const refused = await run('check', 'a', '--json');
    expect(refused.exitCode).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      errors: [{ code: 'archive-entry-kind-forbidden', entry: 'ModuleToS/terms.md' }],
    });
  });

  test('against an earlier package warns of what the new one removes', async () => {
    await cp(EXAMPLE, path.join(scratch, 'first'), { recursive: true });
    await run('pack', 'first', '--output', 'first.zip');
    await cp(EXAMPLE, path.join(scratch, 'second'), { recursive: true });
    await rm(path.join(scratch, 'second/AlertRuleDefinitionFile'), { recursive: true });
    const file = path.join(scratch, 'second/moduleSchema.json');
    const { dataAreaIds, ...descriptor } = JSON.parse(await readFile(file, 'utf8')) as {
      dataAreaIds: string[];
    };
    await writeFile(file, JSON.stringify(descriptor));
    const removed = async (earlier: string) => {
      const { exitCode, stdout } = await run('check', 'second', '--json', '--against', earlier);
      const { warnings } = JSON.parse(stdout) as { warnings: { code: string; detail: string }[] };
      expect(exitCode).toBe(0);
      return warnings.map(({ code, detail }) => `${code}: ${detail}`);
    };
    const expected = [
      'layout-part-removed: The module had files in AlertRuleDefinitionFile/, the package has none: the update removes them.',
      `registry-member-removed: The update removes ${dataAreaIds.length} of ${dataAreaIds.length} from dataAreaIds: ${dataAreaIds.join(', ')}. The module's API keys can no longer read them.`,
    ];
    expect(await removed('first.zip')).toEqual(expected);
    expect(await removed('first')).toEqual(expected);
    expect(await removed('second')).not.toContain(expected[1]);
  });

  test('against an earlier package with errors cannot run', async () => {
    await cp(EXAMPLE, path.join(scratch, 'a'), { recursive: true });
    await mkdir(path.join(scratch, 'empty'));
    expect(await run('check', 'a', '--against', 'empty')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'modulectl: empty has errors itself. Run modulectl check empty to see them.\n',
    });
  });

  test.each([
    [['check']],
    [['check', 'nothing-there']],
    [['check', 'a', '--json', '--sarif']],
    [['check', 'a', '--colour']],
    [['frobnicate']],
    [['check', '.', '--server', 'ftp://server.example']],
  ])('%j cannot run: exit 2, with nothing on standard output', async (args) => {
    const { exitCode, stdout, stderr } = await run(...args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^modulectl: /);
  });
});

describe('pack', () => {
  test('produces the same bytes whatever the times, modes and order of creation', async () => {
    await cp(EXAMPLE, path.join(scratch, 'a'), { recursive: true });
    const first = await run('pack', 'a');
    expect(first.exitCode).toBe(0);
    const entries = await readdir(EXAMPLE, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((each) => each.isFile()).toReversed()) {
      const from = path.join(entry.parentPath, entry.name);
      const to = path.join(scratch, 'b', path.relative(EXAMPLE, from));
      await mkdir(path.dirname(to), { recursive: true });
      await writeFile(to, await readFile(from));
      await utimes(to, 1, 1);
      await chmod(to, 0o755);
    }
    const second = await run('pack', 'b', '--output', 'other.zip');
    expect(second.stdout.split('\n').slice(1)).toEqual(first.stdout.split('\n').slice(1));
    const zips = [path.join(scratch, 'a.zip'), path.join(scratch, 'other.zip')];
    const [a, b] = await Promise.all(zips.map((file) => readFile(file)));
    expect(a?.equals(b ?? Buffer.alloc(0))).toBe(true);
  });

  test('refuses what check refuses, writes nothing and keeps the existing file', async () => {
    await cp(EXAMPLE, path.join(scratch, 'a'), { recursive: true });
    await cp(path.join(scratch, 'a/ModuleLogo'), path.join(scratch, 'a/ModuleLogos'), { recursive: true });
    await writeFile(path.join(scratch, 'a.zip'), 'an older one');
    const { exitCode, stdout, stderr } = await run('pack', 'a');
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toContain('layout-entry-unexpected');
    expect(await readFile(path.join(scratch, 'a.zip'), 'utf8')).toBe('an older one');
    expect((await readdir(scratch)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('does not write into the folder that it packs', async () => {
    await cp(EXAMPLE, path.join(scratch, 'a'), { recursive: true });
    const { exitCode, stderr } = await run('pack', 'a', '--output', 'a/ModuleToS/a.zip');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('is inside the folder that is packed');
  });

  test('accepts files that are read in pieces', async () => {
    await cp(EXAMPLE, path.join(scratch, 'a'), { recursive: true });
    await writeFile(path.join(scratch, 'a/PackageArtifact/build/large.bin'), Buffer.alloc(20_000_000, 7));
    expect((await run('pack', 'a')).exitCode).toBe(0);
    expect((await run('check', 'a.zip')).exitCode).toBe(0);
  });
});

const HELPED = [
  '',
  'init',
  'check',
  'pack',
  'import',
  'imports',
  'imports list',
  'imports show',
  'export',
  'keys',
]
  .concat(['login', 'logout', 'modules', 'modules list', 'modules show', 'modules delete'])
  .concat(['keys create', 'keys list', 'keys revoke', 'keys rotate', 'catalogue'])
  .concat(['webhooks', 'webhooks create', 'webhooks list', 'webhooks resend', 'webhooks attempts'])
  .concat(['events', 'events trigger', 'publishers', 'publishers add', 'publishers list'])
  .concat(['release', 'rollback', 'withdraw', 'modules releases', 'modules deprecate'])
  .map((command) => [command === '' ? [] : command.split(' ')]);

test.each(HELPED)('the help of %j fits one screen of 80 columns and 24 lines', async (command) => {
  const { exitCode, stdout } = await runHere([...command, '--help'], { scratch });
  expect(exitCode).toBe(0);
  const lines = stdout.split('\n');
  expect(lines.length).toBeLessThanOrEqual(24);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

test('the page for vendors shows commands that work in its order, and an exact report', async () => {
  const page = await readFile(path.resolve(import.meta.dirname, '../../../docs/vendors.md'), 'utf8');
  const offline = page.slice(0, page.indexOf('## Sign in'));
  const lines = [...offline.matchAll(/^\$ (?:npx modulectl (.+)|rm -r (.+))$/gm)];
  const commands = lines.flatMap(([, args]) => (args === undefined ? [] : [args.split(' ')]));
  expect(commands.map(([name]) => name)).toEqual(['init', 'check', 'pack', 'pack']);
  await mkdir(path.join(scratch, 'dist'));
  await writeFile(path.join(scratch, 'dist/index.html'), '<p>built</p>');
  for (const [, args, removed = ''] of lines) {
    if (args === undefined) await rm(path.join(scratch, removed), { recursive: true });
    else expect(await run(...args.split(' '))).toMatchObject({ exitCode: 0, stderr: '' });
    if (args?.startsWith('init ')) await replacePlaceholders(path.join(scratch, 'soil-moisture'));
  }
  await cp(path.join(scratch, 'dist'), path.join(scratch, 'soil-moisture/PackageArtifact/build'), {
    recursive: true,
  });
  const descriptor = path.join(scratch, 'soil-moisture/moduleSchema.json');
  const text = await readFile(descriptor, 'utf8');
  const unknown = '    "ffffffff-ffff-4fff-8fff-ffffffffffff",';
  await writeFile(descriptor, text.replace(/("dataAreaIds": \[\n)/, `$1${unknown}\n`));
  const shown = /^```text\n(.*?)^```$/ms.exec(page)?.[1];
  expect(await run('check', 'soil-moisture')).toEqual({ exitCode: 1, stdout: shown, stderr: '' });
});
