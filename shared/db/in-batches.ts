import type { Database } from './database.ts';
import { queryRows, type StatementValues } from './statement.ts';

const BATCH = 1_000;

/**
 * The SQL condition of the next `:limit` rows of a table that nobody has locked; an order may follow its condition. They are
 * found again by their address: so the planner can choose nothing but to read these rows, however large it believes the
 * table to be.
 */
export function nextOf(table: string, condition: string): string {
  return `ctid = any(array(select ctid from ${table} where ${condition} limit :limit for update skip locked))`;
}

/**
 * Runs a statement again and again until nothing is left for it to change; yields the rows that it returns. Each run is
 * a transaction of its own and changes at most `:limit` rows, so that no lock is held for long, and what it changed is
 * kept if a later run fails. The statement selects its rows by `nextOf`.
 */
export async function* inBatches<Row extends object>(
  database: Database,
  statement: string,
  values: StatementValues = {},
  limit = BATCH,
): AsyncGenerator<readonly Row[]> {
  for (;;) {
    const rows = await queryRows<Row>(database, statement, { ...values, limit });
    yield rows;
    if (rows.length < limit) return;
  }
}

/** Runs such a statement to its end; returns the number of rows that it changed. */
export async function changeInBatches(database: Database, statement: string, values: StatementValues = {}) {
  let changed = 0;
  for await (const rows of inBatches(database, `${statement} returning 1`, values)) changed += rows.length;
  return changed;
}
