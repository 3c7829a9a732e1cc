import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, expect, inject, test } from 'vitest';
import { CliVendor } from '../../support/cli-vendor.ts';
import { replacePlaceholders } from '../../support/replace-placeholders.ts';
import { runHere } from '../../support/run-modulectl.ts';
import { startTestApp } from '../../support/test-app.ts';

let scratch: string;

const run = (...args: string[]) => runHere(args, { scratch, cwd: scratch });

// A module whose build is in dist/, as build tools write it.
beforeEach(async () => {
  scratch = path.join(inject('scratch'), `artifact-${randomUUID()}`);
  await mkdir(path.join(scratch, 'dist/assets'), { recursive: true });
  await writeFile(path.join(scratch, 'dist/index.html'), '<script src="assets/app.js"></script>');
  await writeFile(path.join(scratch, 'dist/assets/app.js'), 'export {};');
  await run('init', 'soil');
  await replacePlaceholders(path.join(scratch, 'soil'));
});

const removeBuild = () => rm(path.join(scratch, 'soil/PackageArtifact'), { recursive: true });

test('pack --artifact writes the package that the folder with the build in it gives', async () => {
  await removeBuild();
  expect(await run('check', 'soil', '--artifact', 'dist')).toEqual({
    exitCode: 0,
    stdout: '✓ soil passes.\n',
    stderr: '',
  });
  expect((await run('pack', 'soil', '--artifact', 'dist', '-o', 'a.zip')).exitCode).toBe(0);
  const build = path.join(scratch, 'soil/PackageArtifact/build');
  await mkdir(path.join(build, 'assets'), { recursive: true });
  for (const name of ['index.html', 'assets/app.js'])
    await writeFile(path.join(build, name), await readFile(path.join(scratch, 'dist', name)));
  expect((await run('pack', 'soil', '-o', 'b.zip')).exitCode).toBe(0);
  const [a, b] = await Promise.all(['a.zip', 'b.zip'].map((name) => readFile(path.join(scratch, name))));
  expect(a?.equals(b ?? Buffer.alloc(0))).toBe(true);
});

test('a folder that has its build is refused with --artifact, and nothing is written', async () => {
  for (const command of ['check', 'pack']) {
    const { exitCode, stdout, stderr } = await run(command, 'soil', '--artifact', 'dist');
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toBe(
      'modulectl: soil/PackageArtifact/build/index.html is in the folder, and --artifact names another build. Remove soil/PackageArtifact, or leave out --artifact.\n',
    );
  }
  await expect(readFile(path.join(scratch, 'soil.zip'))).rejects.toThrow('ENOENT');
});

test.each([
  ['empty', 'modulectl: The build folder empty has no files. Build the module first.\n'],
  ['missing', 'modulectl: Cannot read the folder missing: it does not exist.\n'],
  [
    'dist/index.html',
    'modulectl: Cannot read the folder dist/index.html: a part of the path is not a directory.\n',
  ],
])('the build folder %s is refused with its reason', async (artifact, message) => {
  await removeBuild();
  await mkdir(path.join(scratch, 'empty'));
  expect(await run('pack', 'soil', '--artifact', artifact)).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: message,
  });
});

test('a problem in the build names its file in the build folder, and links are not followed', async () => {
  await removeBuild();
  await symlink('/etc/passwd', path.join(scratch, 'dist/link'));
  const { exitCode, stdout } = await run('check', 'soil', '--artifact', 'dist', '--json');
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    errors: [{ code: 'archive-entry-kind-forbidden', entry: 'PackageArtifact/build/link' }],
  });
});

test('pack does not write into the build folder', async () => {
  await removeBuild();
  const { exitCode, stderr } = await run('pack', 'soil', '--artifact', 'dist', '-o', 'dist/soil.zip');
  expect([exitCode, stderr]).toEqual([
    2,
    'modulectl: dist/soil.zip is inside the folder that is packed. Choose another --output.\n',
  ]);
});

test('import --artifact imports the build; a ZIP is refused with it', async () => {
  const app = await startTestApp();
  try {
    const vendor = await CliVendor.join(app);
    await removeBuild();
    const [folder, dist] = [path.join(scratch, 'soil'), path.join(scratch, 'dist')];
    const { stdout } = await vendor.run('import', folder, '--artifact', dist, '--json');
    const { moduleId } = JSON.parse(stdout) as { moduleId: string };
    const file = await app
      .as(vendor.organization)
      .get(`/modules/${moduleId}/files/PackageArtifact/build/assets/app.js`);
    expect(file.status).toBe(200);
    const refused = await vendor.run('import', await vendor.writePackage(), '--artifact', dist);
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringMatching(
        /\.zip is a ZIP, to which --artifact cannot add a build\. Name the folder instead\.\n$/,
      ),
    ]);
  } finally {
    await app.stop();
  }
});
