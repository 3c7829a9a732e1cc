import type { Knex } from 'knex';
import { MIGRATIONS } from '../../shared/db/migrate.ts';
import type { Migration } from '../../shared/db/migrations/migration.ts';

/** Expands the schema as a later version does: the previous version writes rows without the new columns. */
const EXPAND: Migration = {
  name: '9997-example-columns',
  async up(transaction: Knex) {
    await transaction.raw(`
      alter table imports add column example_note text, add column example_count integer not null default 0;
      alter table modules add column example_note text;
      create table examples (id uuid primary key, import_id uuid not null references imports on delete cascade)`);
  },
};

/** The indexes of what the one before adds: a migration of their own. */
const INDEX: Migration = {
  name: '9998-example-indexes',
  indexes: [
    { name: 'imports_example_note', on: 'imports (example_note) where example_note is not null' },
    { name: 'examples_import', on: 'examples (import_id)' },
  ],
};

/** The migrations of a later version, for tests: this version has the baseline alone, whose database has no rows yet. */
export const LATER_MIGRATIONS: readonly Migration[] = [...MIGRATIONS, EXPAND, INDEX];
