import path from 'node:path';
import ignore from 'ignore';
import { litterIn } from '../package/layout/litter.ts';
import { ROOT_NAMES } from '../package/layout/layout.ts';
import { nearestName } from '../package/text/nearest-name.ts';
import type { Output } from './output.ts';
import { readIfExists } from './temporary.ts';

/** Why an entry of a folder is not packed, as the output says it. */
export type LeftOutReason =
  | 'created by the operating system'
  | 'the name starts with a dot'
  | 'installed packages'
  | 'named in .moduleignore'
  | 'not a part of a package';

/** An entry of a folder that is not packed; a folder, with a slash at its end, is left out as a whole. */
export interface LeftOut {
  readonly path: string;
  readonly reason: LeftOutReason;
}

/** Why an entry, by its path in the package, is not packed; null if it is. The path of a folder ends with a slash. */
export type LeavesOut = (entry: string) => LeftOutReason | null;

/** The file that names what is not packed. */
const IGNORE_FILE = '.moduleignore';
const DEPENDENCIES = 'node_modules';

/** The operating system's files are never packed. */
export const leavesOutLitter: LeavesOut = (entry) =>
  litterIn(entry) === null ? null : 'created by the operating system';

/**
 * The rules for a module's folder, in the order in which they apply: what its `.moduleignore` names, which can also name
 * hidden files that are packed all the same, and then what is no part of a package. A misspelt part is packed, so that
 * the package is rejected as a ZIP with it is.
 * @throws CannotRunError if `.moduleignore` cannot be read.
 */
export async function readLeavesOut(folder: string): Promise<LeavesOut> {
  const matcher = ignore({ ignoreCase: false })
    .add(['.*', DEPENDENCIES])
    .add((await readIfExists(path.join(folder, IGNORE_FILE))) ?? '');
  return (entry) => {
    const litter = leavesOutLitter(entry);
    if (litter !== null) return litter;
    if (matcher.test(entry).ignored) return reasonOfIgnored(entry);
    const [root = ''] = entry.split('/', 1);
    return nearestName(root, ROOT_NAMES) === undefined ? 'not a part of a package' : null;
  };
}

function reasonOfIgnored(entry: string): LeftOutReason {
  const name = path.posix.basename(entry);
  if (name.startsWith('.')) return 'the name starts with a dot';
  return name === DEPENDENCIES ? 'installed packages' : 'named in .moduleignore';
}

/** Reports what is not packed and why: one line for each reason, with the top folder of what is further down. */
export function reportLeftOut(leftOut: readonly LeftOut[], output: Output): void {
  for (const reason of new Set(leftOut.map((each) => each.reason))) {
    const paths = leftOut.filter((each) => each.reason === reason).map((each) => each.path);
    output.say(`Left out (${reason}): ${byTopFolder(paths).join(', ')}`);
  }
}

function byTopFolder(paths: readonly string[]): string[] {
  const topOf = (entry: string) => entry.slice(0, entry.indexOf('/') + 1) || entry;
  return [...new Set(paths.map(topOf))].map((top) => {
    const [first = top, ...others] = paths.filter((each) => topOf(each) === top);
    return others.length === 0 ? first : `${top} (${others.length + 1})`;
  });
}
