import type { Knex } from 'knex';

/** What the public record of a revision says: how it was imported, its content in hashes, and the rules that checked it. */
export const name = '0024-publication-records';

export async function up(transaction: Knex): Promise<void> {
  await transaction.raw(`
    alter table imports
      -- The run of the trusted publisher that uploaded it; its access token is deleted earlier. Null: a person did.
      add column publisher jsonb;

    -- All are null in revisions that an earlier version wrote: these have no public record.
    alter table module_revisions
      -- From the import, whose row is deleted earlier.
      add column imported_by text,
      add column publisher jsonb,
      -- Over the SHA-256 and path of each file.
      add column files_sha256 bytea,
      -- Of the descriptor without the values of environment variables.
      add column descriptor_sha256 bytea,
      -- The names and versions of the rules that checked the package.
      add column checks jsonb;
  `);
}
