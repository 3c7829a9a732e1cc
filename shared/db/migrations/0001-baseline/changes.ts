import { installationsChanged } from '../../changes/record-changes.ts';
import { visibleRevision } from '../../modules/visible-revision.ts';

/** The changes that modules' back ends receive, in the order of their commits. */
export const CHANGES = `
  -- Written by the transaction that makes the change; moved to the table of changes after its commit.
  create table outbox (
    sequence bigint generated always as identity,
    type text not null,
    -- Null: every module that the organization has installed.
    module_id uuid,
    -- Null: the change concerns no single farmer.
    organization_id uuid,
    subject jsonb not null,
    at timestamptz(3) not null default now(),
    check (module_id is not null or organization_id is not null)
  );

  -- No foreign keys: changes outlive what they name.
  create table changes (
    -- Given after the commit, by one process at a time: the order of positions is the order of commits.
    position bigint generated always as identity primary key,
    id uuid not null unique default gen_random_uuid(),
    module_id uuid not null,
    organization_id uuid,
    type text not null,
    at timestamptz(3) not null,
    subject jsonb not null
  );
  create index changes_of_module on changes (module_id, position);
  -- The newest change that may change which rules a module reads: neither structures nor acknowledged alerts do.
  create index changes_of_rules on changes (module_id, position)
    where type not in ('structures.changed', 'structures.erased', 'alert.acknowledged');

  -- One row: the last position that is no longer kept, and the start of the ID of its change.
  create table change_horizon (
    is_only boolean primary key default true check (is_only),
    position bigint not null,
    mark text
  );
  insert into change_horizon (position) values (0);
`;

const VISIBLE = visibleRevision('new', 'i.organization_id');
const REPORTED = installationsChanged('seen');

/**
 * The feed reports each change of the revision that an organization sees, whatever makes it: what a module reads of the
 * organization follows from it. So the change is in the transaction that has this effect. Whoever changes previewers
 * writes the module's row afterwards. Installations are locked in the order in which batches of alerts lock them.
 */
export const REPORTS_OF_REVISIONS = `
  create function report_visible_revisions() returns trigger language plpgsql as $$
    begin
      with locked as materialized (
        select i.organization_id from installations i
        where i.module_id = new.id and i.reported_revision is distinct from ${VISIBLE}
        order by i.organization_id for no key update
      ), seen as (
        update installations i set reported_revision = ${VISIBLE} from locked
        where i.module_id = new.id and i.organization_id = locked.organization_id
        returning i.module_id, i.organization_id, i.accepted_data_area_ids
      )
      ${REPORTED};
      return null;
    end $$;
  create trigger modules_visible_revisions
    after update of current_revision, ring_revision, ring_organization_ids, ring_percent, previewed_revisions on modules
    for each row when (new.deleted_at is null and (
      old.previewed_revisions <> '{}' or new.previewed_revisions <> '{}'
      or (old.current_revision, old.ring_revision, old.ring_organization_ids, old.ring_percent)
        is distinct from (new.current_revision, new.ring_revision, new.ring_organization_ids, new.ring_percent)))
    execute function report_visible_revisions();
`;
