import { accessSync, constants } from 'node:fs';
import path from 'node:path';

const FOLDERS = [...(process.env['PATH'] ?? '').split(path.delimiter), `${process.env['HOME'] ?? ''}/go/bin`];

/** Where a program of this name is; null where the machine has none. */
export function findProgram(name: string, folders: readonly string[] = FOLDERS): string | null {
  for (const folder of folders) {
    const program = path.join(folder, name);
    try {
      accessSync(program, constants.X_OK);
      return program;
    } catch {
      continue;
    }
  }
  return null;
}
