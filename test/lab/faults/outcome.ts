import type { components } from '../../../shared/client/openapi-types.ts';
import { loadConfig } from '../../../shared/config/config.ts';
import { openContext } from '../../../shared/process/context.ts';
import { collectGarbage } from '../../../worker/maintenance/collect-garbage.ts';
import type { Acknowledgement, UploadStory } from './clients.ts';
import type { FaultStack } from './stack/fault-stack.ts';
import { findOrphans } from './orphans.ts';
import {
  compareServedContent,
  listAllRevisions,
  type ContentReport,
  type ListedRevision,
} from '../../support/served-content.ts';
import { ServiceReader } from '../../support/service-reader.ts';

type Import = components['schemas']['Import'];
type Imports = ReadonlyMap<string, Import>;

/** An answer may still be on its way when the primary has died. */
const LATE_ANSWER_MS = 5_000;
/** Time for connections that the last fault broke to be found broken. */
const PATIENCE_MS = 30_000;

/** The final state, compared with the acknowledged imports. Each entry of a list is one internal error. */
export interface Outcome {
  readonly lost: readonly string[];
  /** Imports that were acknowledged while a standby lacked them, just before it took over; only their clients know them. */
  readonly lostTail: readonly string[];
  readonly twice: readonly string[];
  readonly halfVisible: readonly string[];
  readonly orphans: readonly string[];
  /** Imports that did not succeed: every package was good. */
  readonly failed: readonly string[];
  /** The comparison behind `halfVisible`. */
  readonly content: ContentReport;
}

/** Collects garbage without grace, and compares all that the service then serves with what was uploaded to it. */
export async function compareOutcome(stack: FaultStack, stories: readonly UploadStory[]): Promise<Outcome> {
  const orphans = await collectAll(stack);
  const reader = new ServiceReader(stack.address, PATIENCE_MS);
  const listed = await reader.list<Import>('imports');
  const imports: Imports = new Map(listed.map((each) => [each.importId, each]));
  const revisions = await listAllRevisions(reader);
  const uploads = new Map(stories.map(({ upload }) => [upload.sha256, upload.contents]));
  const uploadOf = (importId: string) => uploads.get(imports.get(importId)?.sha256 ?? '');
  const isInTail = ({ atMs }: Acknowledgement) =>
    stack.own.postgres?.lossWindows.some(
      ({ fromMs, untilMs }) => atMs >= fromMs && atMs <= untilMs + LATE_ANSWER_MS,
    ) ?? false;
  const gone = stories.flatMap((story) => story.gone);
  const content = await compareServedContent(reader, revisions, uploadOf);
  return {
    lost: [
      ...gone.filter((each) => !isInTail(each)).map(({ importId }) => `import ${importId} is gone`),
      ...lostImports(stories, imports),
      ...lostRevisions(imports, revisions),
    ],
    lostTail: gone.filter(isInTail).map(({ importId }) => importId),
    twice: [...doubledUploads(stories, listed), ...doubledRevisions(revisions)],
    halfVisible: content.differences,
    orphans,
    failed: listed
      .filter(({ status }) => ['failed', 'rejected', 'cancelled'].includes(status))
      .map(({ importId, status }) => `import ${importId} ${status}`),
    content,
  };
}

async function collectAll(stack: FaultStack): Promise<readonly string[]> {
  const settings = { ...stack.environment, LOG_LEVEL: 'silent', UPLOAD_RETENTION_DAYS: '0' };
  const context = await openContext('faults', loadConfig(settings));
  try {
    await collectGarbage(context, 0);
    return await findOrphans(context);
  } finally {
    await context.close();
  }
}

/** Every acknowledged import exists and has ended as reported. */
function lostImports(stories: readonly UploadStory[], imports: Imports): string[] {
  return stories.flatMap(({ acknowledged, upload }) =>
    acknowledged.flatMap(({ importId, status, moduleId, revision }) => {
      const found = imports.get(importId);
      if (found === undefined) return [`import ${importId} is not listed`];
      if (found.sha256 !== upload.sha256) return [`import ${importId} has another package`];
      if (['queued', 'running'].includes(found.status))
        return [`import ${importId} is still ${found.status}`];
      if (status === 'succeeded' && (found.moduleId !== moduleId || found.revision !== revision))
        return [`import ${importId} has another end than was reported`];
      return [];
    }),
  );
}

/** Every import that succeeded, acknowledged or not, has its revision. */
function lostRevisions(imports: Imports, revisions: readonly ListedRevision[]): string[] {
  const made = new Map(revisions.map((each) => [each.importId, each]));
  return [...imports.values()].flatMap(({ importId, status, moduleId, revision }) => {
    const found = made.get(importId);
    if (status !== 'succeeded')
      return found === undefined ? [] : [`import ${importId} is ${status} with a revision`];
    if (found === undefined) return [`import ${importId} has no revision`];
    if (found.moduleId !== moduleId || found.revision !== revision)
      return [`import ${importId} made another revision than it names`];
    return [];
  });
}

/** Each package is unlike any other, so it may succeed once; and one key is for one import. */
function doubledUploads(stories: readonly UploadStory[], imports: readonly Import[]): string[] {
  const counts = countBy(imports, ({ sha256 }) => sha256);
  return stories.flatMap(({ acknowledged, upload }) => {
    const reported = new Set(acknowledged.map(({ importId }) => importId)).size;
    const made = counts.get(upload.sha256) ?? 0;
    return [
      ...(reported > 1 ? [`one upload was answered with ${reported} imports`] : []),
      ...(made > 1 ? [`one upload became ${made} imports`] : []),
    ];
  });
}

/** Each import makes a module of its own. */
function doubledRevisions(revisions: readonly ListedRevision[]): string[] {
  const counts = [
    ...countBy(revisions, ({ importId }) => `import ${importId}`),
    ...countBy(revisions, ({ moduleId }) => `module ${moduleId}`),
  ];
  return counts.filter(([, count]) => count > 1).map(([name, count]) => `${name} has ${count} revisions`);
}

function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}
