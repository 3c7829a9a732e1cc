import { expect } from 'vitest';
import type { Database } from '../../shared/db/database.ts';
import { ImportModel, type ImportRow } from '../../shared/db/imports/models.ts';
import { serviceTest } from '../support/service-test.ts';
import { StatementSequence } from '../support/statement-sequence.ts';

const test = serviceTest({ worker: false });

const SEQUENCES = 80;
const STEPS = 100;

/** The answer of a side: its result, or the violated constraint. */
async function resultOf(act: () => unknown): Promise<unknown> {
  try {
    return { result: await act() };
  } catch (error) {
    if (error instanceof Error && 'constraint' in error) return { violates: error.constraint };
    throw error;
  }
}

/** A row without its times, and without the sequence's value, which a refused statement uses up on one side only. */
function stateOf(row: ImportRow) {
  const { id, organizationId, status, runId, retries, outcome, moduleId, namedModuleId, revision } = row;
  const { archiveKey, validateOnly, errors, warnings, errorsTotal, unlistedErrors, version } = row;
  const { progressStep, progressCompleted, progressTotal, startedAt, finishedAt, failedAt } = row;
  const times = [startedAt, finishedAt, failedAt].map((time) => time !== null);
  const owned = { id, organizationId, validateOnly, archiveKey, moduleId, namedModuleId, revision };
  const ended = { status, runId, retries, outcome, errors, warnings, errorsTotal, unlistedErrors, version };
  return { ...owned, ...ended, times, progress: [progressStep, progressCompleted, progressTotal] };
}

async function rowsOf(database: Database): Promise<readonly ImportRow[]> {
  return ImportModel.query(database).orderBy('id');
}

test('simulated statements return and write what those on PostgreSQL do', async ({ app }) => {
  const { database } = app.api;
  const first = await app.organization();
  const vendors = [first, await app.organization({ tenantId: first.tenantId })];
  const ended = new Set<string>();
  for (let seed = 0; seed < SEQUENCES; seed += 1) {
    await database.raw(
      'truncate imports, idempotency_keys, modules, module_revisions, module_files, search_texts cascade',
    );
    const sequence = new StatementSequence(seed, database, vendors);
    const done: string[] = [];
    for (let count = 0; count < STEPS; count += 1) {
      const { name, real, simulated } = sequence.next();
      done.push(name);
      const result = await resultOf(real);
      const expected = await resultOf(() => sequence.tables.record(() => simulated(new Date())).result);
      expect(expected, `seed ${seed}: ${done.join('; ')}`).toEqual(result);
    }
    const rows = await rowsOf(database);
    const simulatedRows = sequence.tables.imports.all().toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(simulatedRows.map(stateOf), `seed ${seed}: ${done.join('; ')}`).toEqual(rows.map(stateOf));
    for (const { status, outcome, retries } of rows)
      ended.add(`${status} ${outcome ?? ''}${retries > 0 ? ' again' : ''}`);
  }
  // Sequences that only ran into refusals would compare nothing.
  expect([...ended]).toEqual(
    expect.arrayContaining([
      'succeeded created',
      'succeeded created again',
      'succeeded unchanged',
      ...['rejected ', 'failed ', 'failed  again', 'cancelled ', 'queued  again', 'running  again'],
    ]),
  );
});
