import type { QueuedJob } from '../../../shared/queue/queue-connection.ts';
import { archiveKeyOf } from '../../../shared/db/imports/archives.ts';
import { DEPLOYMENT } from './database-server.ts';
import type { Service } from './service.ts';

/** An error that the protocol could have, planted into the simulated parts of a service. */
export interface ProtocolError {
  readonly name: string;
  /** A seed that notices it: tests start here, and go on where the service has changed since. */
  readonly firstSeed: number;
  plant(service: Service): void;
}

/** The simulation must notice each of these. */
export const PROTOCOL_ERRORS: readonly ProtocolError[] = [
  {
    name: 'the end of an import is not guarded by its attempt',
    firstSeed: 63,
    plant({ database: { imports, tables } }) {
      imports.runBy = ({ id }) => {
        const row = tables.imports.get(id);
        return row?.status === 'running' ? row : null;
      };
    },
  },
  {
    name: 'any attempt fails an import',
    firstSeed: 103,
    plant({ database: { imports, tables } }) {
      const fail = imports.recordFailure.bind(imports);
      imports.recordFailure = (importId, part, failure, now) => {
        const { runId = null } = tables.imports.get(importId) ?? {};
        return fail(importId, 'runId' in part && runId !== null ? { runId } : part, failure, now);
      };
    },
  },
  {
    name: 'a lost answer to COMMIT is a failure: the upload is removed',
    firstSeed: 16,
    plant(service) {
      onUnknownInsert(service, (importId) => service.storage.remove(archiveKeyOf(DEPLOYMENT, importId)));
    },
  },
  {
    name: 'a lost answer to COMMIT frees the Idempotency-Key',
    firstSeed: 45,
    plant(service) {
      const { keys } = service.database.tables;
      onUnknownInsert(service, (importId) => {
        for (const key of keys.where((each) => each.importId === importId))
          keys.restore(`${key.organizationId}/${key.key}`, null);
      });
    },
  },
  {
    name: 'the sweep requeues imports that run',
    firstSeed: 2,
    plant({ queue }) {
      const add = queue.add.bind(queue);
      queue.stateOf = () => 'unknown';
      queue.add = (job) => {
        const isSame = (data: QueuedJob) =>
          'importId' in data && 'importId' in job && data.importId === job.importId;
        for (const { id, data } of queue.jobs.values()) if (isSame(data)) queue.jobs.delete(id);
        add(job);
      };
    },
  },
  {
    name: 'the collection ignores unfinished imports',
    firstSeed: 0,
    plant({ database: { imports, tables } }) {
      imports.knownArchives = () => new Set(tables.revisions.all().map(({ archiveKey }) => archiveKey));
    },
  },
  {
    name: 'the collection ignores the time for which new objects are kept',
    firstSeed: 215,
    plant({ storage }) {
      storage.dateOf = () => new Date(0);
    },
  },
  {
    name: 'a retry does not check the upload',
    firstSeed: 13,
    plant({ database: { imports, tables } }) {
      const requeue = imports.requeue.bind(imports);
      imports.requeue = (importId, now) => {
        const row = tables.imports.get(importId);
        if (row?.status === 'failed')
          tables.imports.set(importId, { ...row, archiveKey: archiveKeyOf(DEPLOYMENT, importId) });
        return requeue(importId, now);
      };
    },
  },
  {
    name: 'an import replaces a later one',
    firstSeed: 2,
    plant({ database: { registry } }) {
      const readState = registry.readState.bind(registry);
      registry.readState = (run, subject) => ({ ...readState(run, subject), laterImportId: null });
    },
  },
  {
    name: 'an import restores a deleted module',
    firstSeed: 112,
    plant({ database: { registry } }) {
      const readState = registry.readState.bind(registry);
      registry.readState = (run, subject) => {
        const state = readState(run, subject);
        return {
          ...state,
          module: state.module && { ...state.module, deletedAt: null, isDeletedSince: false },
        };
      };
    },
  },
  {
    name: 'a take-over does not change the attempt',
    firstSeed: 5,
    plant({ database: { imports, tables } }) {
      const start = imports.start.bind(imports);
      imports.start = (job, runId, now) => start(job, tables.imports.get(job.importId)?.runId ?? runId, now);
    },
  },
  {
    name: 'the job is added before the commit, and nothing sweeps',
    firstSeed: 9,
    plant({ database: { imports }, queue }) {
      const add = queue.add.bind(queue);
      const insert = imports.insert.bind(imports);
      queue.add = () => undefined;
      imports.stale = () => [];
      imports.insert = (row, now) => {
        add({ importId: row.id, retries: 0 });
        insert(row, now);
      };
    },
  },
  {
    name: 'the sweep leaves out the imports of groups',
    firstSeed: 25,
    plant({ database: { imports } }) {
      const stale = imports.stale.bind(imports);
      imports.stale = (before) => stale(before).filter(({ groupId }) => groupId === null);
    },
  },
  {
    name: 'of new modules that one statement writes only the first is written',
    firstSeed: 220,
    plant({ database: { registry } }) {
      const write = registry.writeRevision.bind(registry);
      let statement: Date | null = null;
      registry.writeRevision = (each, now) => {
        const isFirst = statement !== now;
        statement = now;
        return isFirst ? write(each, now) : true;
      };
    },
  },
  {
    name: 'a running import can be cancelled',
    firstSeed: 7,
    plant({ database: { imports, tables } }) {
      const cancel = imports.cancel.bind(imports);
      imports.cancel = (organizationId, importId, now) => {
        const row = tables.imports.get(importId);
        if (row?.status === 'running') tables.imports.set(importId, { ...row, status: 'queued' });
        return cancel(organizationId, importId, now);
      };
    },
  },
  {
    name: 'the job of a failed import starts it again',
    firstSeed: 63,
    plant({ database: { imports, tables } }) {
      const runnable = imports.runnable.bind(imports);
      imports.runnable = (job) => {
        const row = tables.imports.get(job.importId);
        return row?.status === 'failed' ? row : runnable(job);
      };
    },
  },
  {
    name: 'the job of an earlier retry starts the import',
    firstSeed: 288,
    plant({ database: { imports, tables } }) {
      const runnable = imports.runnable.bind(imports);
      imports.runnable = ({ importId }) =>
        runnable({ importId, retries: tables.imports.get(importId)?.retries ?? 0 });
    },
  },
  {
    name: 'the job of an earlier retry fails the import',
    firstSeed: 611,
    plant({ database: { imports, tables } }) {
      const fail = imports.recordFailure.bind(imports);
      imports.recordFailure = (importId, part, failure, now) => {
        const { retries = 0 } = tables.imports.get(importId) ?? {};
        return fail(importId, 'runId' in part ? part : { retries }, failure, now);
      };
    },
  },
];

/** Calls a function with each import whose row may have been committed or not: its process got no answer. */
function onUnknownInsert({ database: { link } }: Service, act: (importId: string) => void): void {
  const call = link.call.bind(link);
  link.call = (machine, what, serve) => {
    const result = call(machine, what, serve);
    const [verb, , ...importIds] = what.split(' ');
    if (verb === 'insert') result.catch(() => importIds.forEach(act));
    return result;
  };
}
