import { OF_TOKEN } from '../../shared/db/access/authority.ts';
import { createHash } from 'node:crypto';
import type { Database } from '../../shared/db/database.ts';
import * as archives from '../../shared/db/imports/archives.ts';
import { deleteEndedRows } from '../../shared/db/ended-rows.ts';
import { requeueImport } from '../../shared/db/imports/failed-imports.ts';
import * as attempts from '../../shared/db/imports/attempts.ts';
import * as product from '../../shared/db/imports/imports.ts';
import * as freed from '../../shared/db/imports/freed-archives.ts';
import { dropOldImports } from '../../shared/db/imports/retention.ts';
import * as unfinished from '../../shared/db/imports/unfinished-imports.ts';
import type { ImportRow } from '../../shared/db/imports/models.ts';
import { ImportStatements } from '../lab/simulation/import-statements.ts';
import { Random } from './random.ts';
import { RegistryStatements } from '../lab/simulation/registry-statements.ts';
import { Tables } from '../lab/simulation/tables.ts';
import { LAST_FAILURE } from './fail-import.ts';
import { idOf, registrySteps, type Step } from './registry-steps.ts';
import type { TestOrganization } from './test-app.ts';

const DEPLOYMENT = '80000000-0000-4000-8000-000000000001';
const ACTOR = { subject: 'somebody', actorName: null, traceId: '0'.repeat(32), authority: OF_TOKEN };
const LONG_AGO = {
  auditDays: 365,
  alertDays: 365,
  apiKeyDays: 365,
  statisticsDays: 365,
  changeDays: 365,
  webhookAttemptDays: 365,
  consentDays: 3_650,
};
const FAR_AWAY = new Date('2999-01-01');

/** Random statements of the import protocol, for the database and for what simulates it: a seed decides them. */
export class StatementSequence {
  readonly tables = new Tables();
  readonly #imports = new ImportStatements(this.tables);
  readonly #registry = new RegistryStatements(this.tables, this.#imports);
  readonly #random: Random;
  readonly #database: Database;
  readonly #vendors: readonly TestOrganization[];
  #created = 0;

  constructor(seed: number, database: Database, vendors: readonly TestOrganization[]) {
    this.#random = new Random(seed);
    this.#database = database;
    this.#vendors = vendors;
  }

  next(): Step {
    const kinds = [this.#create, this.#attempt, this.#attempt, this.#attempt, this.#operate, this.#sweep];
    return this.#random.pick([...kinds, this.#collect, this.#register, this.#register]).call(this);
  }

  #importId(number = this.#random.between(1, Math.max(1, this.#created))): string {
    return idOf(1, number);
  }

  /** Of few, so that some are of the current attempt. */
  #runId(): string {
    return idOf(2, this.#random.between(1, 2));
  }

  #create(): Step {
    const { id, tenantId } = this.#random.pick(this.#vendors);
    const importId = this.#importId((this.#created += 1));
    const validateOnly = this.#random.chance(0.3);
    const keepDays = this.#random.pick([-1, 7]);
    const fingerprint = digest(this.#random.pick(['one', 'two']));
    const claim = this.#random.chance(0.5) ? { key: 'key', fingerprint, keepDays } : null;
    const row: product.NewImport = {
      ...{ id: importId, organizationId: id, tenantId, importedBy: ACTOR.subject, validateOnly },
      ...{ expectedRevisions: null, newModuleId: idOf(3, this.#created), fileName: null, sizeBytes: 1 },
      ...{ sha256: digest(importId), archiveKey: archives.archiveKeyOf(DEPLOYMENT, importId) },
      ...{
        traceId: ACTOR.traceId,
        actorName: null,
        traceParent: '',
        onlyModuleId: null,
        publisherTokenId: null,
      },
      ...{ staged: false, renameScope: false, authority: OF_TOKEN, groupId: null, claim },
    };
    return {
      name: `create ${importId}`,
      real: () => product.createImports(this.#database, [row]),
      simulated: (now) => this.#imports.create([row], now),
    };
  }

  #attempt(): Step {
    const [database, imports] = [this.#database, this.#imports];
    const [importId, runId, retries] = [this.#importId(), this.#runId(), this.#random.between(0, 1)];
    const run = { id: importId, runId };
    const part = this.#random.chance(0.5) ? { runId } : { retries };
    const failure = {
      ...LAST_FAILURE,
      step: this.#random.pick([null, 'writing'] as const),
      namedModuleId: this.#random.pick([null, this.#moduleId()]),
      deadlineSeconds: this.#random.pick([0, 0, 0, 3_600]),
    };
    const progress = { step: 'checking', completed: 1, total: 2 } as const;
    const end = this.#end();
    const steps: readonly Step[] = [
      {
        name: `start ${importId} ${retries}`,
        real: async () => (await attempts.startImports(database, [{ importId, retries, runId }]))[0]?.runId,
        simulated: (now) => imports.start({ importId, retries }, runId, now)?.runId,
      },
      {
        name: `progress ${importId}`,
        real: () => attempts.recordProgress(database, run, progress),
        simulated: (now) => imports.progress(run, progress, now),
      },
      {
        name: `end ${importId} ${end.status}`,
        real: () => attempts.endImport(database, run, end),
        simulated: (now) => imports.end(run, end, now),
      },
      {
        name: `fail ${importId} ${JSON.stringify(part)}`,
        real: () => unfinished.recordFailure(database, importId, part, failure),
        simulated: (now) => imports.recordFailure(importId, part, failure, now),
      },
    ];
    return this.#random.pick([steps[0]!, steps[0]!, ...steps, steps[3]!, steps[3]!, steps[3]!]);
  }

  #end(): attempts.ImportEnd {
    const lists = { errors: [], warnings: [], errorsTotal: 0, unlistedErrors: [] };
    const moduleId = this.#moduleId();
    return this.#random.chance(0.5)
      ? { status: 'rejected', namedModuleId: moduleId, lists }
      : { status: 'succeeded', outcome: 'unchanged', moduleId, revision: 1, released: true, lists };
  }

  #moduleId(): string {
    return idOf(3, this.#random.between(1, 2));
  }

  #operate(): Step {
    const [importId, { id }] = [this.#importId(), this.#random.pick(this.#vendors)];
    if (this.#random.chance(0.3))
      return {
        name: `cancel ${importId}`,
        real: () => product.cancelImport(this.#database, id, importId, ACTOR),
        simulated: (now) => this.#imports.cancel(id, importId, now),
      };
    return {
      name: `requeue ${importId}`,
      real: async () => (await requeueImport(this.#database, importId, ACTOR))?.retries,
      simulated: (now) => this.#imports.requeue(importId, now)?.retries,
    };
  }

  #sweep(): Step {
    const [database, imports] = [this.#database, this.#imports];
    const status = this.#random.pick(['queued', 'running'] as const);
    const far = this.#random.pick([-1, 1]) * 86_400;
    const ids = [...new Set([this.#importId(), this.#importId()])];
    const seenVersion = this.#random.pick([null, 1, 2]);
    const watched = ids.map((id) => ({ id, seenVersion }));
    const steps: readonly Step[] = [
      {
        name: `find stale ${status}`,
        real: async () => jobs(await unfinished.findStaleImports(database, status, FAR_AWAY, null, 100)),
        simulated: () => jobs(imports.findStale(status, FAR_AWAY, null, 100)),
      },
      {
        name: `count stale ${far}`,
        real: () => unfinished.countStaleImports(database, far * 1_000, 3),
        simulated: (now) => imports.countStale(far * 1_000, 3, now),
      },
      {
        name: `find changed ${ids.join()} ${seenVersion ?? ''}`,
        real: async () => idsOf(await product.findChangedImports(database, watched)),
        simulated: () => idsOf(imports.findChanged(watched)),
      },
    ];
    return this.#random.pick([...steps.slice(0, 2), ...steps]);
  }

  #collect(): Step {
    const [database, imports, importId] = [this.#database, this.#imports, this.#importId()];
    const days = this.#random.chance(0.2) ? -1 : 30;
    const keys = [importId, this.#importId()].map((id) => archives.archiveKeyOf(DEPLOYMENT, id));
    return this.#random.pick<Step>([
      {
        name: `free expired ${days}`,
        real: () => freed.freeExpiredArchives(database, days),
        simulated: (now) => imports.freeExpiredArchives(days, () => false, now),
      },
      {
        name: `drop old ${days}`,
        real: () => dropOldImports(database, days),
        simulated: (now) => imports.dropOld(days, () => false, now),
      },
      {
        name: 'drop expired keys',
        real: () => deleteEndedRows(database, LONG_AGO),
        simulated: (now) => imports.dropExpiredKeys(now),
      },
      {
        name: `free ${importId}`,
        real: () => freed.freeArchive(database, importId),
        simulated: (now) => imports.freeArchive(importId, now),
      },
      {
        name: `find known archives ${keys.join()}`,
        real: async () => [...(await archives.findKnownArchives(database, keys))].toSorted(),
        simulated: () => [...imports.knownArchives(keys)].toSorted(),
      },
    ]);
  }

  #register(): Step {
    const vendor = this.#random.pick(this.#vendors);
    const scope = this.#random.pick(['soil', 'water']);
    const revision = this.#random.between(1, 3);
    const importId = this.#importId();
    const archiveKey = archives.archiveKeyOf(DEPLOYMENT, importId);
    const ids = { importId, runId: this.#runId(), moduleId: this.#moduleId(), archiveKey };
    const steps = registrySteps(this.#database, this.#registry, vendor, { ...ids, scope, revision });
    return this.#random.pick(steps);
  }
}

function idsOf(rows: readonly ImportRow[]): readonly string[] {
  return rows.map(({ id }) => id).toSorted();
}

/** Times differ on the two sides, and so does the order by them. */
function jobs(stale: readonly unfinished.StaleImport[]): readonly string[] {
  return stale.map((each) => `${each.importId} ${each.organizationId} ${each.retries}`).toSorted();
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
