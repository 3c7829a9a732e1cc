import { PartProblem } from '../process/part-problem.ts';
import { databaseProblem } from './database-problem.ts';
import type { Database } from './database.ts';
import { MIGRATION_NAMES, MIGRATIONS_TABLE } from './migrate.ts';
import { queryRow } from './statement.ts';

/** Migrations of this version that a database lacks, oldest first; those of later versions are ignored. */
export async function missingMigrations(database: Database): Promise<readonly string[]> {
  const found = await queryRow<{ isThere: boolean }>(
    database,
    'select to_regclass(:table) is not null as is_there',
    { table: MIGRATIONS_TABLE },
  );
  if (found?.isThere !== true) return MIGRATION_NAMES;
  const done = await database(MIGRATIONS_TABLE).select<{ name: string }[]>('name');
  return MIGRATION_NAMES.filter((name) => !done.some((row) => row.name === name));
}

/** What it means that a database lacks migrations. */
export function lackingMigrations(missing: readonly string[]): PartProblem {
  return new PartProblem({
    problem: `The database lacks ${missing.join(', ')}.`,
    advice: "Run this version's migrate step: npm run migrate.",
  });
}

/**
 * Returns if a database answers and has the migrations of this version.
 * @throws PartProblem that says what is wrong with the database at this URL
 */
export async function requireSchema(database: Database, url: string): Promise<void> {
  const missing = await missingMigrations(database).catch((error: unknown) => {
    throw databaseProblem(error, url);
  });
  if (missing.length > 0) throw lackingMigrations(missing);
}
