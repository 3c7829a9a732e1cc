import type { Config } from '../../shared/config/config.ts';
import type { ClosedEntry, OpenedEntry } from '../../shared/package/archive/archive.ts';
import { openEntry } from '../../shared/package/archive/open-entry.ts';
import {
  validateFile,
  validateOpened,
  type FileReading,
  type FileRules,
  type FileToValidate,
} from '../../shared/package/file-rules.ts';
import { looksLikeXml } from '../../shared/package/images/svg-image.ts';
import { problem, type Problem } from '../../shared/package/problem.ts';
import { quoteText } from '../../shared/package/text/quote-value.ts';
import { ThreadEndedError } from '../../shared/threads/thread.ts';
import { ThreadPool, THREADS } from '../../shared/threads/thread-pool.ts';
import type { FileTasks } from './file-thread.ts';
import { sentFile } from './sent-file.ts';

/** A file up to this size cannot block the event loop for long, whatever it contains. */
const MAX_BYTES_HERE = 16 * 1024;

/** An image up to this size is opened here, to find out whether it is SVG. */
const MAX_RASTER_BYTES_HERE = 256 * 1024;

/** The descriptor is compared with the paths of all files; this many cannot block it for long either. */
const MAX_PATHS_HERE = 2_000;

/** The heap of a thread: the worst file within the limits needs less. */
const THREAD_HEAP_MIB = 512;
/** For one file; the worst within the limits needs a few seconds of processor time. */
export const THREAD_TIMES = { maxTaskMs: 150_000, maxElapsedMs: 300_000 };

/** A package with many expensive files must not fail by the deadline of its step because each waits for long. */
const MAX_TIME_WAIT_MS = 5_000;

/** Opens the threads in which larger files are validated; imports wait for their turn, each organization in its part. */
export function openFileThreads({ imports, sharing }: Config): ThreadPool<FileTasks> {
  return new ThreadPool({
    resource: 'files in validation',
    module: new URL('./file-thread.js', import.meta.url),
    ...THREADS,
    // The worker's lanes bound them.
    maxWaitingPerOwner: Infinity,
    maxWaitMs: imports.stepSeconds * 1_000,
    msPerSecond: sharing.maxThreadMsPerSecondPerOrganization,
    maxTimeWaitMs: MAX_TIME_WAIT_MS,
    maxHeapMiB: THREAD_HEAP_MIB,
    ...THREAD_TIMES,
  });
}

/**
 * The rules of files for the imports of one organization: small files are validated at once. A thread opens and
 * validates the others, so that what they unpack to is no memory of the event loop.
 */
export function fileRulesFor(threads: ThreadPool<FileTasks>, organizationId: string): FileRules {
  return (closed, file) => {
    if (isSmall(closed, file)) return validateFile(closed, file);
    const opened = openRaster(closed, file);
    return opened === null
      ? validateInThread(threads, organizationId, closed, file)
      : validateOpened(opened, closed.entry.path, file);
  };
}

function isSmall({ entry }: ClosedEntry, file: FileToValidate): boolean {
  return (
    entry.sizeBytes <= MAX_BYTES_HERE && (file.kind !== 'descriptor' || file.paths.size <= MAX_PATHS_HERE)
  );
}

/** An image that is not SVG, which is opened here: only its first bytes are looked at. Null for any other file. */
function openRaster(closed: ClosedEntry, { kind }: FileToValidate): OpenedEntry | Problem | null {
  if ((kind !== 'image' && kind !== 'logo') || closed.entry.sizeBytes > MAX_RASTER_BYTES_HERE) return null;
  const opened = openEntry(closed);
  return 'code' in opened || !looksLikeXml(opened.content) ? opened : null;
}

/** Validates a file in a thread; one that needs more than a thread may use is refused, not an internal error. */
async function validateInThread(
  threads: ThreadPool<FileTasks>,
  organizationId: string,
  { bytes, entry }: ClosedEntry,
  file: FileToValidate,
): Promise<FileReading> {
  try {
    // Bytes of its own, which can be handed over: the reader of the archive keeps what they are a part of.
    const input = { bytes: new Uint8Array(bytes), entry, file: await sentFile(file) };
    return await threads.use(organizationId, (tasks) => tasks.run('validate', input));
  } catch (error) {
    if (!(error instanceof ThreadEndedError) || error.usedUp === null) throw error;
    return { problem: tooExpensive(entry.label, error.usedUp) };
  }
}

function tooExpensive(entry: string, usedUp: 'memory' | 'time'): Problem {
  const detail = `${quoteText(entry)} needs too much ${usedUp} to be validated. Make it smaller or simpler.`;
  return problem('layout-file-too-large', detail, { entry });
}
