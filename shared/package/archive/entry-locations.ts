import type { PackageCheck } from '../package-check.ts';
import { type Problem, problem } from '../problem.ts';
import { ambiguous, misbuilt } from './archive-problems.ts';
import type { CentralDirectoryHeader } from './central-directory.ts';

/** The fixed part of a local header (APPNOTE 4.3.7). */
export const LOCAL_HEADER_BYTES = 30;

const MAX_EXTRA_BYTES = 0xffff;

/** General purpose flag 3: a data descriptor follows the data (APPNOTE 4.4.4). */
export const DESCRIPTOR_FLAG = 0x08;

/** A data descriptor with signature and 64-bit sizes (APPNOTE 4.3.9). */
const MAX_DESCRIPTOR_BYTES = 24;

/** Where an entry ends at the earliest; how long its local extra fields are is not in the directory. */
function earliestEnd({ headerOffset, rawName, packedBytes }: CentralDirectoryHeader): number {
  return headerOffset + LOCAL_HEADER_BYTES + rawName.length + packedBytes;
}

function latestEnd(record: CentralDirectoryHeader): number {
  const descriptor = (record.flags & DESCRIPTOR_FLAG) !== 0 ? MAX_DESCRIPTOR_BYTES : 0;
  return earliestEnd(record) + MAX_EXTRA_BYTES + descriptor;
}

/** The problem of bytes that do not belong to any entry. */
export function strayBytes(from: number, to: number): Problem {
  return ambiguous(`The ${to - from} bytes from byte ${from} on do not belong to any entry.`, from);
}

/** The problem of an entry that shares bytes with another or with the directory. */
export function overlap(
  { label: entry, headerOffset: offset }: CentralDirectoryHeader,
  other: string,
): Problem {
  return misbuilt('archive-entries-overlap', `"${entry}" shares bytes with ${other}.`, { entry, offset });
}

/**
 * Whether the entries, in the order of their offsets, can fill the archive up to its directory with no
 * overlap and no gap. What the local headers decide is left to the pass over the entries.
 */
export async function checkLocations(
  inOrder: readonly CentralDirectoryHeader[],
  directoryOffset: number,
  { problems, pacer }: PackageCheck,
): Promise<void> {
  let previous: CentralDirectoryHeader | undefined;
  let furthest = 0;
  await pacer.forEach(inOrder, (record) => {
    const { headerOffset } = record;
    if (headerOffset + LOCAL_HEADER_BYTES > directoryOffset) {
      const detail = `"${record.label}" is said to start at byte ${headerOffset}, which is not before the directory. Build the ZIP again.`;
      problems.add(
        problem('archive-unreadable', detail, { entry: record.label, offset: record.recordOffset }),
      );
      return;
    }
    if (previous !== undefined && headerOffset < furthest)
      problems.add(overlap(record, `"${previous.label}"`));
    else {
      const gapFrom = previous === undefined ? 0 : latestEnd(previous);
      if (headerOffset > gapFrom) problems.add(strayBytes(gapFrom, headerOffset));
    }
    const end = earliestEnd(record);
    if (end > directoryOffset) problems.add(overlap(record, 'the central directory'));
    if (previous === undefined || end > furthest) {
      previous = record;
      furthest = end;
    }
  });
  const gapFrom = previous === undefined ? 0 : latestEnd(previous);
  if (directoryOffset > gapFrom) problems.add(strayBytes(gapFrom, directoryOffset));
}
