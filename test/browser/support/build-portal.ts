import { execFileSync } from 'node:child_process';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../../..');

/** Builds what is served to browsers unless it is already built, under the lock that other commands use. */
export default function buildPortal(): void {
  const script = "import { prepare } from './shared/local/prepare.mjs'; prepare({ compiled: true });";
  execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT, stdio: 'inherit' });
}
