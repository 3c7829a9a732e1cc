import { loadConfig } from '../../shared/config.ts';
import { openContext } from '../../shared/context.ts';
import type { Context } from '../../shared/context.ts';
import { collectGarbage } from '../../worker/collect-garbage.ts';
import { forEachAtOnce } from '../../worker/for-each-at-once.ts';
import type { UploadStory } from './clients.ts';
import type { FaultStack } from './fault-stack.ts';
import { sha256Of } from './packages.ts';

/** What is there in the end, compared with what was acknowledged. Each entry of a list is one fault of ours. */
export interface Outcome {
  readonly lost: readonly string[];
  readonly twice: readonly string[];
  readonly halfVisible: readonly string[];
  readonly orphans: readonly string[];
  /** Imports that ended otherwise than succeeded: every package was good. */
  readonly failed: readonly string[];
}

interface ImportRow {
  readonly id: string;
  readonly status: string;
  readonly sha256: string;
  readonly moduleId: string | null;
  readonly revision: number | null;
}

interface FileRow {
  readonly moduleId: string;
  readonly importId: string;
  readonly sha256: string;
  readonly objectKey: string;
}

/** Looks at everything that is there, collects garbage without grace, and looks again. */
export async function judgeOutcome(stack: FaultStack, stories: readonly UploadStory[]): Promise<Outcome> {
  const settings = { ...stack.environment, LOG_LEVEL: 'silent', UPLOAD_RETENTION_DAYS: '0' };
  const context = await openContext('faults', loadConfig(settings));
  try {
    const imports = await readImports(context);
    const before = await visibleFaults(context, stories, imports);
    await collectGarbage(context, 0);
    // What the collection takes of a module counts as well.
    const after = await visibleFaults(context, stories, imports);
    return {
      lost: [...lostImports(stories, imports), ...(await lostRevisions(context, imports))],
      twice: [...doubledUploads(stories, imports), ...(await doubledRevisions(context))],
      halfVisible: [...new Set([...before, ...after])],
      orphans: await findOrphans(context),
      failed: [...imports.values()]
        .filter(({ status }) => ['failed', 'rejected', 'cancelled'].includes(status))
        .map(({ id, status }) => `import ${id} ${status}`),
    };
  } finally {
    await context.close();
  }
}

async function readRows<Row>({ database }: Context, sql: string): Promise<readonly Row[]> {
  return (await database.raw<{ rows: Row[] }>(sql)).rows;
}

async function readImports(context: Context): Promise<ReadonlyMap<string, ImportRow>> {
  const rows = await readRows<ImportRow>(
    context,
    `select id, status, encode(sha256, 'hex') as sha256, module_id, revision from imports`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Every acknowledged import has a row that has ended, with the end that was told. */
function lostImports(stories: readonly UploadStory[], imports: ReadonlyMap<string, ImportRow>): string[] {
  return stories.flatMap(({ acknowledged, upload }) =>
    acknowledged.flatMap(({ importId, status, moduleId, revision }) => {
      const row = imports.get(importId);
      if (row === undefined) return [`import ${importId} has no row`];
      if (row.sha256 !== upload.sha256) return [`import ${importId} has another package`];
      if (['queued', 'running'].includes(row.status)) return [`import ${importId} is still ${row.status}`];
      if (status === 'succeeded' && (row.moduleId !== moduleId || row.revision !== revision))
        return [`import ${importId} was told otherwise than its row has it`];
      return [];
    }),
  );
}

/** Every import that succeeded, acknowledged or not, has its revision. */
async function lostRevisions(
  context: Context,
  imports: ReadonlyMap<string, ImportRow>,
): Promise<readonly string[]> {
  const rows = await readRows<{ importId: string }>(context, 'select import_id from module_revisions');
  const written = new Set(rows.map(({ importId }) => importId));
  const faults: string[] = [];
  for (const { id, status } of imports.values()) {
    if (status === 'succeeded' && !written.has(id)) faults.push(`import ${id} has no revision`);
    if (status !== 'succeeded' && written.has(id)) faults.push(`import ${id} is ${status} with a revision`);
  }
  return faults;
}

/** Each package is unlike any other, so it may succeed once; and one key stands for one import. */
function doubledUploads(stories: readonly UploadStory[], imports: ReadonlyMap<string, ImportRow>): string[] {
  const faults: string[] = [];
  for (const { acknowledged, upload } of stories) {
    const told = new Set(acknowledged.map(({ importId }) => importId));
    if (told.size > 1) faults.push(`one upload was answered with ${told.size} imports`);
    const made = [...imports.values()].filter(({ sha256 }) => sha256 === upload.sha256);
    if (made.length > 1) faults.push(`one upload became ${made.length} imports`);
  }
  return faults;
}

async function doubledRevisions(context: Context): Promise<readonly string[]> {
  const rows = await readRows<{ id: string; count: number }>(
    context,
    `select import_id as id, count(*) as count from module_revisions group by 1 having count(*) > 1
     union all select module_id, count(*) from module_revisions group by 1 having count(*) > 1`,
  );
  return rows.map(({ id, count }) => `${id} has ${count} revisions`);
}

/** Every file of every revision can be read, with its bytes, and none of the package's is missing. */
async function visibleFaults(
  context: Context,
  stories: readonly UploadStory[],
  imports: ReadonlyMap<string, ImportRow>,
): Promise<readonly string[]> {
  const rows = await readRows<FileRow>(
    context,
    `select f.module_id, r.import_id, encode(f.sha256, 'hex') as sha256, f.object_key
     from module_revisions r left join module_files f using (module_id, revision)`,
  );
  const uploads = new Map(stories.map(({ upload }) => [upload.sha256, upload]));
  const files = new Map<string, FileRow[]>();
  for (const row of rows) files.set(row.importId, [...(files.get(row.importId) ?? []), row]);
  const faults: string[] = [];
  for (const [importId, its] of files) {
    const upload = uploads.get(imports.get(importId)?.sha256 ?? '');
    const contents = new Set(its.map(({ sha256 }) => sha256));
    if (upload === undefined) faults.push(`import ${importId} is of a package that nobody sent`);
    else if (its.length !== upload.files || !upload.ownContents.every((content) => contents.has(content)))
      faults.push(`import ${importId} shows ${its.length} files of ${upload.files}`);
  }
  const objects = new Map(rows.map(({ objectKey, sha256 }) => [objectKey, sha256]));
  await forEachAtOnce(objects, 16, async ([objectKey, sha256]) => {
    const pieces: Buffer[] = [];
    try {
      for await (const piece of await context.storage.stream(`files/${objectKey}`))
        pieces.push(piece as Buffer);
    } catch {
      faults.push(`file ${objectKey} cannot be read`);
      return;
    }
    if (sha256Of(Buffer.concat(pieces)) !== sha256) faults.push(`file ${objectKey} has other bytes`);
  });
  return faults;
}

/** After a collection each object has a row, each row an object, and no write is left unfinished. */
async function findOrphans(context: Context): Promise<readonly string[]> {
  const known = await readRows<{ key: string }>(
    context,
    `select 'files/' || object_key as key from stored_files
     union all select upload_key from imports where upload_key is not null
     union all select 'doomed: ' || storage_key from doomed_objects`,
  );
  const keys = new Set(known.map(({ key }) => key));
  const orphans: string[] = [];
  for (const prefix of ['uploads/', 'files/']) {
    for await (const { key } of context.storage.list(prefix))
      if (!keys.delete(key)) orphans.push(`object ${key} has no row`);
  }
  orphans.push(...[...keys].map((key) => `row of ${key} has no object`));
  const unfinished = await context.storage.removeUnfinished(new Date(Date.now() + 86_400_000));
  if (unfinished > 0) orphans.push(`${unfinished} unfinished writes`);
  return orphans;
}
