import { readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDER = path.resolve(import.meta.dirname, '../../docs/deployment/systemd');
const COMMON = 'module-import-.service.d/common.conf';

/** The settings of a unit of docs/deployment/systemd with those that all have, in order. */
export function readUnit(file: string): readonly (readonly [name: string, value: string])[] {
  return [COMMON, file].flatMap((each) => readUnitFile(each));
}

/** The settings of one file. */
export function readUnitFile(file: string): readonly (readonly [name: string, value: string])[] {
  return readFileSync(path.join(FOLDER, file), 'utf8')
    .split('\n')
    .filter((line) => /^\w+=/.test(line))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]);
}

/** The environment that systemd gives a unit, with its credentials in this folder. */
export function unitEnvironment(
  file: string,
  { credentials, instance }: { readonly credentials: string; readonly instance: string },
): Record<string, string> {
  const own = readUnit(file)
    .filter(([name]) => name === 'Environment')
    .map(([, value]) => value.replaceAll('%d', credentials).replaceAll('%i', instance))
    .map((value) => [value.slice(0, value.indexOf('=')), value.slice(value.indexOf('=') + 1)] as const);
  return Object.fromEntries([...readUnitFile('settings.env'), ...own]);
}
