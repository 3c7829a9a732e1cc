import type { Config } from '../shared/config/config.ts';
import { FILE_RULES } from '../shared/package/file-rules.ts';
import type { FileRules } from '../shared/package/file-rules.ts';
import type { ValidatedImage } from '../shared/package/images/validate-image.ts';
import { DESCRIPTOR_PATH } from '../shared/package/layout/layout.ts';
import type { PackageCatalogue } from '../shared/package/package-report.ts';
import { problem } from '../shared/package/problem.ts';
import type { Problem } from '../shared/package/problem.ts';
import { quoteText } from '../shared/package/text/quote-value.ts';
import { looksLikeXml } from '../shared/package/images/svg-image.ts';
import type { TaskRunner } from '../shared/threads/tasks.ts';
import { ThreadEndedError } from '../shared/threads/thread.ts';
import { ThreadPool } from '../shared/threads/thread-pool.ts';
import type { FileTasks } from './file-tasks.ts';

/** A file up to this size cannot block the event loop for long, whatever it contains. */
const MAX_BYTES_HERE = 16 * 1024;

/** The descriptor is compared with the paths of all files; so many cannot block it for long either. */
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
    max: imports.workerThreads,
    maxPerOwner: Math.max(1, Math.floor(imports.workerThreads / 2)),
    maxWaitingPerOwner: imports.workerConcurrency,
    maxWaitMs: imports.stepSeconds * 1_000,
    msPerSecond: sharing.maxThreadMsPerSecondPerOrganization,
    maxTimeWaitMs: MAX_TIME_WAIT_MS,
    maxHeapMiB: THREAD_HEAP_MIB,
    maxTaskMs: THREAD_TASK_MS,
  });
}

/** The rules of files for the imports of one organization: small files are validated at once, others in a thread. */
export function fileRulesFor(threads: ThreadPool<FileTasks>, organizationId: string): FileRules {
  const inThread: InThread = async (entry, session, refuse) => {
    try {
      return await threads.use(organizationId, session);
    } catch (error) {
      if (!(error instanceof ThreadEndedError) || error.usedUp === null) throw error;
      return refuse([tooExpensive(entry, error.usedUp)]);
    }
  };
  return {
    descriptor(content, catalogue, paths) {
      if (content.length <= MAX_BYTES_HERE && paths.size <= MAX_PATHS_HERE)
        return FILE_RULES.descriptor(content, catalogue, paths);
      const input = { bytes: ownBytes(content), catalogue: membersOf(catalogue), paths };
      return inThread(
        DESCRIPTOR_PATH,
        (tasks) => tasks.run('descriptor', input),
        (problems) => ({ problems, subject: null, descriptor: null, namedFiles: null }),
      );
    },
    roles(path, content) {
      if (content.length <= MAX_BYTES_HERE) return FILE_RULES.roles(path, content);
      const input = { path, bytes: ownBytes(content) };
      return inThread(path, (tasks) => tasks.run('roles', input), withoutValue);
    },
    alertRules(path, content) {
      if (content.length <= MAX_BYTES_HERE) return FILE_RULES.alertRules(path, content);
      const input = { path, bytes: ownBytes(content) };
      return inThread(path, (tasks) => tasks.run('alertRules', input), withoutValue);
    },
    image(path, content) {
      // Of a raster image only the first bytes are looked at.
      if (content.length <= MAX_BYTES_HERE || !looksLikeXml(content)) return FILE_RULES.image(path, content);
      const input = { path, bytes: ownBytes(content) };
      return inThread<ValidatedImage>(
        path,
        (tasks) => tasks.run('image', input),
        (problems) => ({ problems }),
      );
    },
    document(path, content, mediaType) {
      if (content.length <= MAX_BYTES_HERE) return FILE_RULES.document(path, content, mediaType);
      const input = { path, bytes: ownBytes(content), mediaType };
      return inThread<Problem[]>(
        path,
        (tasks) => tasks.run('document', input),
        (problems) => [...problems],
      );
    },
  };
}

/** Validates a file in a thread; one that needs more than a thread may use is refused, not an internal error. */
type InThread = <Result>(
  entry: string,
  session: (tasks: TaskRunner<FileTasks>) => Promise<Result>,
  refuse: (problems: readonly Problem[]) => Result,
) => Promise<Result>;

function withoutValue(problems: readonly Problem[]) {
  return { value: null, problems };
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

/** Bytes that can be handed over: those of a part of a larger buffer are copied. */
function ownBytes(content: Buffer): Uint8Array {
  return content.byteLength === content.buffer.byteLength ? content : new Uint8Array(content);
}
