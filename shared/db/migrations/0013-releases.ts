import type { Knex } from 'knex';

/** Staged and released revisions, who sees which, and modules that are withdrawn, deprecated or in quarantine. */
export const name = '0013-releases';

export async function up(transaction: Knex): Promise<void> {
  await transaction.raw(`
    alter table modules
      -- The revision that is released to everyone; null: none yet.
      alter column current_revision drop not null,
      -- The revision that was written last. Versions that know no staged revisions write current_revision only.
      add column newest_revision integer not null default 1,
      -- A revision that some organizations get before everyone: those named, and a share of all in percent.
      add column ring_revision integer,
      add column ring_organization_ids uuid[] not null default '{}',
      add column ring_percent integer check (ring_percent between 1 and 100),
      -- The staged revisions that have previewers.
      add column previewed_revisions integer[] not null default '{}',
      add column release_policy text not null default 'immediate' check (release_policy in ('immediate', 'manual')),
      -- Since when there are no new installations.
      add column withdrawn_at timestamptz(3),
      add column withdrawn_reason text,
      add column deprecated_at timestamptz(3),
      add column deprecation_message text,
      add column successor_module_id uuid,
      -- Since when nobody gets its files and its keys do not work.
      add column quarantined_at timestamptz(3),
      add column quarantine_reason text;
    update modules set newest_revision = current_revision where current_revision <> 1;

    alter table module_revisions
      -- Null: staged, seen by its previewers alone.
      add column released_at timestamptz(3);
    update module_revisions set released_at = created_at;
    alter table module_revisions alter column released_at set default now();

    -- The organizations that see a staged revision.
    create table revision_previewers (
      module_id uuid not null,
      revision integer not null,
      organization_id uuid not null,
      primary key (module_id, organization_id, revision),
      foreign key (module_id, revision) references module_revisions on delete cascade
    );

    alter table imports
      -- Whether the upload asked for a staged revision.
      add column staged boolean not null default false,
      -- Once it has succeeded: whether its revision is the one released to everyone.
      add column released boolean not null default true;
  `);
}
