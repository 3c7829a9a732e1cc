import type { Config } from '../shared/config/config.ts';
import type { ClosedEntry } from '../shared/package/archive/archive.ts';
import { openEntry } from '../shared/package/archive/open-entry.ts';
import { FILE_RULES, reading, type FileReading, type FileRules } from '../shared/package/file-rules.ts';
import { looksLikeXml } from '../shared/package/images/svg-image.ts';
import { validateImage } from '../shared/package/images/validate-image.ts';
import type { PackageCatalogue } from '../shared/package/package-report.ts';
import { problem, type Problem } from '../shared/package/problem.ts';
import { quoteText } from '../shared/package/text/quote-value.ts';
import type { TaskRunner } from '../shared/threads/tasks.ts';
import { ThreadEndedError } from '../shared/threads/thread.ts';
import { ThreadPool, THREADS } from '../shared/threads/thread-pool.ts';
import type { FileTasks } from './file-tasks.ts';

/** A file up to this size cannot block the event loop for long, whatever it contains. */
const MAX_BYTES_HERE = 16 * 1024;

/** An image up to this size is opened here, to find out whether it is SVG. */
const MAX_RASTER_BYTES_HERE = 256 * 1024;

/** The descriptor is compared with the paths of all files; this many cannot block it for long either. */
const MAX_PATHS_HERE = 2_000;

/** The heap of a thread: the worst file within the limits needs less. */
const THREAD_HEAP_MIB = 512;
/** For one file; the worst within the limits needs a few seconds of processor time. */
const THREAD_TASK_MS = 300_000;

/** A package with many expensive files must not fail by the deadline of its step because each waits for long. */
const MAX_TIME_WAIT_MS = 5_000;

/** Opens the threads in which larger files are validated; imports wait for their turn, each organization in its part. */
export function openFileThreads({ imports, sharing }: Config): ThreadPool<FileTasks> {
  return new ThreadPool({
    resource: 'files in validation',
    module: new URL('./file-thread.js', import.meta.url),
    ...THREADS,
    maxWaitingPerOwner: imports.workerConcurrency,
    maxWaitMs: imports.stepSeconds * 1_000,
    msPerSecond: sharing.maxThreadMsPerSecondPerOrganization,
    maxTimeWaitMs: MAX_TIME_WAIT_MS,
    maxHeapMiB: THREAD_HEAP_MIB,
    maxTaskMs: THREAD_TASK_MS,
  });
}

/**
 * The rules of files for the imports of one organization: small files are validated at once. A thread opens and
 * validates the others, so that what they unpack to is no memory of the event loop.
 */
export function fileRulesFor(threads: ThreadPool<FileTasks>, organizationId: string): FileRules {
  const inThread: InThread = async ({ record }, session) => {
    try {
      return await threads.use(organizationId, session);
    } catch (error) {
      if (!(error instanceof ThreadEndedError) || error.usedUp === null) throw error;
      return { problem: tooExpensive(record.label, error.usedUp) };
    }
  };
  return {
    descriptor(closed, catalogue, paths) {
      if (isSmall(closed) && paths.size <= MAX_PATHS_HERE)
        return FILE_RULES.descriptor(closed, catalogue, paths);
      const input = { ...ownBytes(closed), catalogue: membersOf(catalogue), paths };
      return inThread(closed, (tasks) => tasks.run('descriptor', input));
    },
    roles(closed, path) {
      if (isSmall(closed)) return FILE_RULES.roles(closed, path);
      return inThread(closed, (tasks) => tasks.run('roles', { ...ownBytes(closed), path }));
    },
    alertRules(closed, path) {
      if (isSmall(closed)) return FILE_RULES.alertRules(closed, path);
      return inThread(closed, (tasks) => tasks.run('alertRules', { ...ownBytes(closed), path }));
    },
    image(closed, path, svgBytes) {
      if (isSmall(closed)) return FILE_RULES.image(closed, path, svgBytes);
      const opened = closed.record.sizeBytes <= MAX_RASTER_BYTES_HERE ? openEntry(closed) : null;
      // Of a raster image only the first bytes are looked at.
      if (opened !== null && ('code' in opened || !looksLikeXml(opened.content)))
        return reading(opened, (content) => validateImage(content, path, svgBytes));
      return inThread(closed, (tasks) => tasks.run('image', { ...ownBytes(closed), path, svgBytes }));
    },
    document(closed, path) {
      if (isSmall(closed)) return FILE_RULES.document(closed, path);
      return inThread(closed, (tasks) => tasks.run('document', { ...ownBytes(closed), path }));
    },
  };
}

/** Validates a file in a thread; one that needs more than a thread may use is refused, not an internal error. */
type InThread = <Result>(
  closed: ClosedEntry,
  session: (tasks: TaskRunner<FileTasks>) => Promise<FileReading<Result>>,
) => Promise<FileReading<Result>>;

function isSmall({ record }: ClosedEntry): boolean {
  return record.sizeBytes <= MAX_BYTES_HERE;
}

function tooExpensive(entry: string, usedUp: 'memory' | 'time'): Problem {
  const detail = `${quoteText(entry)} needs too much ${usedUp} to be validated. Make it smaller or simpler.`;
  return problem('layout-file-too-large', detail, { entry });
}

/** Only what validation needs: the rest of the catalogue has a function, which cannot be sent to a thread. */
function membersOf({
  englishId,
  languageIds,
  dataAreaIds,
  documentTypes,
  deploymentTypes,
  setsOfIds,
}: PackageCatalogue): PackageCatalogue {
  return { englishId, languageIds, dataAreaIds, documentTypes, deploymentTypes, setsOfIds };
}

/** An entry that can be handed over: the reader of the archive keeps what its bytes are a part of. */
function ownBytes({ bytes, record }: ClosedEntry) {
  return { bytes: new Uint8Array(bytes), record };
}
