import { spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';

const VERSION = '26.2.5';
const FOLDER = path.resolve('.test-data/keycloak');
const HOME = path.join(FOLDER, `keycloak-${VERSION}`);
const UNPACK = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:unpack';

/** Runs a command; its output is that of this process. @throws Error where it fails */
async function run(program: string, args: readonly string[], options: SpawnOptions = {}): Promise<void> {
  const child = spawn(program, args, { stdio: 'inherit', ...options });
  const [exitCode] = (await once(child, 'close')) as [number | null];
  if (exitCode !== 0) throw new Error(`${program} ${args.join(' ')} failed`);
}

/**
 * `npm run test:keycloak -- [OPTIONS...]`: downloads Keycloak with Maven and tries identity with it; the options are those
 * of vitest. It needs Java 17 or newer, Maven and Chromium.
 */
if (!existsSync(HOME)) {
  const artifact = `org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`;
  await mkdir(FOLDER, { recursive: true });
  // Without a project, Maven makes the folder of its marks in the current one.
  const target = [`-Dartifact=${artifact}`, `-DoutputDirectory=${FOLDER}`];
  await run('mvn', ['-q', '-B', UNPACK, ...target], { cwd: FOLDER });
}
const tests = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'keycloak', ...process.argv.slice(2)];
await run(process.execPath, tests, { env: { ...process.env, KEYCLOAK_HOME: HOME } });
