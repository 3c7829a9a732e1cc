import { accessSync, constants } from 'node:fs';
import path from 'node:path';

const FOLDERS = [...(process.env['PATH'] ?? '').split(path.delimiter), `${process.env['HOME'] ?? ''}/go/bin`];

/** The path of a program of this name; null where it is not installed. */
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

/** Debian keeps the servers of PostgreSQL, each with the tools of its own version, outside PATH. */
const POSTGRES_FOLDERS = [18, 17, 16, 15].map((version) => `/usr/lib/postgresql/${version}/bin`);

/** The folder of Debian's PostgreSQL server and its tools; null where it is not installed. */
export function findPostgresFolder(): string | null {
  const server = findProgram('postgres', POSTGRES_FOLDERS);
  return server === null ? null : path.dirname(server);
}
