import { setTimeout as sleep } from 'node:timers/promises';
import { PartProblem } from '../process/part-problem.ts';
import type { Database } from './database.ts';
import { MIGRATION_NAMES, MIGRATIONS_TABLE } from './migrate.ts';

const WAIT_MS = 60_000;
const POLL_MS = 500;

/** Migrations of this version that a database lacks, oldest first; those of later versions are ignored. */
export async function missingMigrations(database: Database): Promise<readonly string[]> {
  const found = await database.raw<{ rows: { isThere: boolean }[] }>(
    'select to_regclass(?) is not null as is_there',
    [MIGRATIONS_TABLE],
  );
  if (found.rows[0]?.isThere !== true) return MIGRATION_NAMES;
  const done = await database(MIGRATIONS_TABLE).select<{ name: string }[]>('name');
  return MIGRATION_NAMES.filter((name) => !done.some((row) => row.name === name));
}

/** What it means that a database lacks migrations. */
export function lackingMigrations(missing: readonly string[]): PartProblem {
  return new PartProblem({
    problem: `The database lacks ${missing.join(', ')}.`,
    advice: "Run this version's migrate step (npm run migrate), then start again.",
  });
}

/**
 * Waits until a database has every migration that this version needs; `onWait` is called once with the missing ones.
 * @throws PartProblem that names them, when they are not applied in time.
 */
export async function schemaReady(
  database: Database,
  onWait: (missing: readonly string[]) => void,
  waitMs = WAIT_MS,
): Promise<void> {
  const deadline = Date.now() + waitMs;
  for (let round = 0; ; round += 1) {
    const missing = await missingMigrations(database);
    if (missing.length === 0) return;
    if (round === 0) onWait(missing);
    if (Date.now() >= deadline) throw lackingMigrations(missing);
    await sleep(POLL_MS);
  }
}
