import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cp, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { copiesOf, readDockerfile, textsOf, type DockerStage } from './dockerfile.ts';

const USER = 65_532;
/** The files that .dockerignore leaves out of the folders that the Dockerfile copies. */
const IGNORED = [path.join('shared', 'local')];

/** Runs a shell line to its end. @throws Error with its output, when it fails */
function runLine(line: string, cwd: string): void {
  // Packages in npm's cache from an earlier install are not downloaded again.
  const env = { ...process.env, npm_config_prefer_offline: 'true' };
  const { status, stderr, stdout } = spawnSync('sh', ['-c', line], { cwd, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${line}: ${stdout}${stderr}`);
}

/**
 * Does by hand what `docker build` does with the Dockerfile of a folder, below `target`, and returns the folder
 * that is `/app` in the image. Two steps differ: the compiling step uses the packages that are installed here, of the
 * same lock file; and the step that removes package managers from the base image is skipped, since this is not an image.
 */
export async function buildByHand(root: string, dockerfile: string, target: string): Promise<string> {
  const stages = readDockerfile(dockerfile);
  const folderOf = (stage: DockerStage) => path.join(target, String(stages.indexOf(stage)));
  for (const stage of stages) {
    const app = path.join(folderOf(stage), 'app');
    await mkdir(app, { recursive: true });
    for (const { instruction, text } of stage.steps) {
      if (instruction === 'COPY')
        await copy({ ...stage, steps: [{ instruction, text }] }, app, root, stages, folderOf);
      else if (instruction === 'RUN' && text.startsWith('npm ci') && !text.includes('--omit=dev'))
        await symlink(path.join(root, 'node_modules'), path.join(app, 'node_modules'));
      else if (instruction === 'RUN' && !text.startsWith('rm -rf ')) runLine(text, app);
    }
  }
  const last = stages.at(-1);
  if (last === undefined) throw new Error('the Dockerfile has no stage');
  const app = path.join(folderOf(last), 'app');
  runLine('chmod -R a+rX,a-w .', app);
  return app;
}

async function copy(
  step: DockerStage,
  app: string,
  root: string,
  stages: readonly DockerStage[],
  folderOf: (stage: DockerStage) => string,
): Promise<void> {
  for (const { from, sources, target } of copiesOf(step)) {
    const stage = stages.find(({ name }) => name === from);
    const base = from === null || stage === undefined ? root : folderOf(stage);
    for (const source of sources) {
      const isFolderTarget = target.endsWith('/');
      const destination = path.join(app, isFolderTarget ? path.join(target, path.basename(source)) : target);
      await cp(path.join(base, source), destination, {
        recursive: true,
        filter: (file) => !IGNORED.includes(path.relative(root, file)),
      });
    }
  }
}

/** The environment variables that the image sets in its Dockerfile. */
export function imageEnvironment(dockerfile: string): Record<string, string> {
  const last = readDockerfile(dockerfile).at(-1);
  const pairs = last === undefined ? [] : textsOf(last, 'ENV').flatMap((text) => text.split(' '));
  return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]));
}

const isRoot = process.getuid?.() === 0;

/**
 * Starts Node in the image's folder as a container would: as a user without rights, on a file system that is
 * read-only except for `writable`, with only these variables. Without root's rights it runs as this user, on
 * read-only files.
 */
export function runInImage(
  app: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  writable: string,
): ChildProcess {
  const options = { cwd: app, env: { ...environment, PATH: process.env['PATH'] }, stdio: 'pipe' } as const;
  if (!isRoot) return spawn(process.execPath, args, options);
  const mounts = 'mount --make-rprivate / && mount --bind "$1" "$1" && mount -o remount,bind,ro /';
  const drop = `exec setpriv --reuid=${USER} --regid=${USER} --clear-groups --no-new-privs --bounding-set=-all`;
  const script = `${mounts} && shift && cd "$PWD" && ${drop} "$@"`;
  const line = ['--mount', 'sh', '-c', script, 'sh', writable, process.execPath, ...args];
  return spawn('unshare', line, options);
}
