import type { Problem } from '../problem.ts';
import { problem } from '../problem.ts';
import type { DirectoryRecord } from './central-directory.ts';

/** The problem of an entry that cannot be unpacked as declared. */
export function corrupt(record: DirectoryRecord, what: string): Problem {
  const detail = `"${record.label}" cannot be unpacked: ${what}. Build the ZIP again.`;
  return problem('archive-entry-corrupt', detail, { entry: record.label, offset: record.headerOffset });
}
