import { randomUUID } from 'node:crypto';
import type { ImportGroup, ImportJob } from '../../shared/db/imports/attempts.ts';
import { createImports, type CreatedImport, type NewImport } from '../../shared/db/imports/imports.ts';
import type { Database } from '../../shared/db/database.ts';
import { sendWaiting, waitWith, type Waiting } from '../../shared/db/together.ts';

/** The most imports of a group. */
const MOST_TOGETHER = 16;
/** The longest time for which a stored upload waits for others of its organization that are being received. */
const MAX_WAIT_MS = 15;
/** Packages up to this size are imported in groups: a larger one would delay its neighbors. */
const MAX_BYTES = 64 * 1024;

/** The import of a stored upload, and the priority of its job. */
export interface NewUpload {
  readonly row: Omit<NewImport, 'groupId'>;
  readonly priority: number;
}

/** A job that is to be queued. */
export interface NewJob {
  readonly job: ImportJob | ImportGroup;
  readonly priority: number;
}

/** What became of an upload; `job` is null where the request of another upload of the group queues it. */
export type AcceptedUpload =
  | { readonly kind: 'created'; readonly queued: NewJob | null }
  | Exclude<CreatedImport, { readonly kind: 'created' }>;

/** A request whose upload is being received. */
export interface Receiving {
  /** Writes its import, with those of the others that are ready. @throws what the database throws for this one */
  accept(upload: NewUpload): Promise<AcceptedUpload>;
  /** Ends it, also where nothing was accepted: the others no longer wait for it. */
  end(): void;
}

/**
 * Writes the imports of an organization in one statement where their uploads end at the same time, and has small ones run in one
 * job. An upload waits only while others of the organization are being received.
 */
export class ImportGroups {
  readonly #database: Database;
  readonly #gatherings = new Map<string, Gathering>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** To be called before an upload is received. */
  receive(organizationId: string): Receiving {
    const gathering = this.#gatherings.get(organizationId) ?? new Gathering(this.#database);
    this.#gatherings.set(organizationId, gathering);
    gathering.receiving += 1;
    let isReceiving = true;
    const end = () => {
      if (!isReceiving) return;
      isReceiving = false;
      gathering.receiving -= 1;
      if (gathering.receiving > 0) return;
      this.#gatherings.delete(organizationId);
      gathering.write();
    };
    return {
      async accept(upload) {
        const accepted = gathering.add(upload);
        end();
        return accepted;
      },
      end,
    };
  }
}

/** The uploads of one organization that are about to be written together. */
class Gathering {
  /** Uploads that are being received. */
  receiving = 0;
  readonly #database: Database;
  #waiting: Waiting<NewUpload, AcceptedUpload>[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(database: Database) {
    this.#database = database;
  }

  async add(upload: NewUpload): Promise<AcceptedUpload> {
    this.#timer ??= setTimeout(() => this.write(), MAX_WAIT_MS);
    const accepted = waitWith(this.#waiting, upload);
    if (this.#waiting.length === MOST_TOGETHER) this.write();
    return accepted;
  }

  /** Writes what waits. */
  write(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length > 0)
      void sendWaiting(waiting, async (uploads) => writeImports(this.#database, uploads));
  }
}

/** Writes uploads in one statement. One that is written by itself, because the statement was refused, has a job of its own. */
async function writeImports(
  database: Database,
  uploads: readonly NewUpload[],
): Promise<readonly AcceptedUpload[]> {
  const members = membersOf(uploads);
  const groupId = members.size > 1 ? randomUUID() : null;
  const rows = uploads.map((upload) => ({ ...upload.row, groupId: members.has(upload) ? groupId : null }));
  const results = await createImports(database, rows);
  const grouped = uploads.filter((each, index) => members.has(each) && results[index]?.kind === 'created');
  return results.map((result, index) => {
    const upload = uploads[index] as NewUpload;
    if (result.kind !== 'created') return result;
    if (groupId === null || !members.has(upload)) return { kind: 'created', queued: ownJob(upload) };
    return { kind: 'created', queued: upload === grouped[0] ? jobOf(groupId, grouped) : null };
  });
}

function ownJob({ row, priority }: NewUpload): NewJob {
  return { job: { importId: row.id, retries: 0 }, priority };
}

/** Those that share a job: small ones of one lane, and at most one for a module that is known beforehand. */
function membersOf(uploads: readonly NewUpload[]): ReadonlySet<NewUpload> {
  const modules = new Set<string>();
  const members = uploads.filter(({ row: { onlyModuleId, sizeBytes } }) => {
    if (sizeBytes > MAX_BYTES || (onlyModuleId !== null && modules.has(onlyModuleId))) return false;
    if (onlyModuleId !== null) modules.add(onlyModuleId);
    return true;
  });
  const bulk = members.filter(({ priority }) => priority > 0);
  const regular = members.filter(({ priority }) => priority === 0);
  return new Set(bulk.length > regular.length ? bulk : regular);
}

/** The job of a group; it runs when the last of its imports would. */
function jobOf(groupId: string, uploads: readonly NewUpload[]): NewJob {
  const importIds = uploads.map(({ row }) => row.id);
  return {
    job: { groupId, importIds },
    priority: Math.max(...uploads.map(({ priority }) => priority)),
  };
}
