/** Modules with their scopes, revisions, files and previewers. */
export const MODULES = `
  create table modules (
    id uuid primary key,
    organization_id uuid not null references organizations,
    tenant_id uuid not null,
    -- The revision that is released to everyone; null: none yet.
    -- No foreign key, which would be checked at each import: what sets it writes or finds the revision in its transaction, and
    -- nothing deletes a revision that anybody sees.
    current_revision integer,
    -- The revision that was written last.
    newest_revision integer not null,
    -- A revision that some organizations get before everyone: those named, and a share of all in percent.
    ring_revision integer,
    ring_organization_ids uuid[] not null default '{}',
    ring_percent integer check (ring_percent between 1 and 100),
    -- The staged revisions that have previewers.
    previewed_revisions integer[] not null default '{}',
    release_policy text not null default 'immediate' check (release_policy in ('immediate', 'manual')),
    -- There are no new installations since then.
    withdrawn_at timestamptz(3),
    withdrawn_reason text,
    deprecated_at timestamptz(3),
    deprecation_message text,
    successor_module_id uuid,
    -- The newest import that was accepted before somebody last released a revision, and before the module was last
    -- deleted: these and older imports release nothing, and change nothing.
    release_decided_at_import bigint not null default 0,
    deleted_at_import bigint not null default 0,
    -- The organizations that have it installed, as workers counted them last.
    installations integer not null default 0,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    -- A deleted module keeps its row: its ID stays the owner's permanently.
    deleted_at timestamptz(3),
    deleted_by text
  );
  create index modules_newest on modules (organization_id, created_at desc, id desc);
  -- The modules that a tenant's farmers can install, newest first.
  create index modules_on_offer on modules (tenant_id, created_at desc, id desc) where deleted_at is null;
  -- For operators, who see those of all vendors.
  create index modules_of_all on modules (created_at desc, id desc) where deleted_at is null;
  create index modules_never_released on modules (id) where current_revision is null and deleted_at is null;
  create index modules_deleted on modules (deleted_at) where deleted_at is not null;

  -- The names of modules. A name is its organization's, whatever becomes of the module, until an operator frees it. The
  -- primary key decides which of two imports that race for one scope wins.
  create table scopes (
    tenant_id uuid not null,
    scope text not null,
    organization_id uuid not null references organizations,
    -- The module that has it; null: none of the organization's modules.
    module_id uuid references modules,
    registered_at timestamptz(3) not null default now(),
    primary key (tenant_id, scope)
  );
  create index scopes_module on scopes (module_id) where module_id is not null;

  -- The quarantine of a module, the last one too. Nobody gets the files of a module in quarantine, and its keys do not work.
  -- A table of its own: an operator waits neither for a release, an import or a deletion that holds the module's row, nor
  -- for the end of what they change.
  create table quarantines (
    module_id uuid primary key,
    -- Null: it has ended.
    quarantined_at timestamptz(3),
    quarantine_reason text,
    -- The newest import that was accepted before: this and older ones release nothing.
    decided_at_import bigint not null
  );
  create index quarantines_running on quarantines (module_id) where quarantined_at is not null;

  -- What operators decide about modules, and what vendors answer. It is kept with the log: a report is decided also after
  -- the module was deleted, and purged.
  create table reviews (
    id uuid primary key default gen_random_uuid(),
    kind text not null check (kind in ('report', 'first-release')),
    -- The organization that reported the module, or its vendor, which asks to release it.
    organization_id uuid not null references organizations,
    module_id uuid not null references modules,
    -- The revision that the organization saw, or that is to be released, and its name.
    revision integer not null,
    module_name text not null,
    -- Of a report: what it is about.
    reason text,
    text text,
    created_at timestamptz(3) not null default now(),
    -- Null: an operator has not decided yet.
    decision text check (decision in ('dismissed', 'upheld', 'approved', 'declined')),
    decision_reason text,
    decided_at timestamptz(3),
    decided_by text,
    -- The vendor's answer to the decision.
    answer text,
    answered_at timestamptz(3)
  );
  -- An organization has one open review of a module.
  create unique index reviews_open on reviews (organization_id, module_id) where decided_at is null;
  create index reviews_waiting on reviews (created_at desc, id desc) where decided_at is null;
  create index reviews_newest on reviews (created_at desc, id desc) where decided_at is not null;
  -- The reports that an organization has made, also of a module that many have reported.
  create index reviews_of_organization on reviews (organization_id, module_id, created_at desc, id desc);
  create index reviews_of_module on reviews (module_id, created_at desc, id desc);
  create index reviews_decided on reviews (decided_at) where decided_at is not null;

  -- Modules that have rows which may not yet follow what their organizations see. It has no
  -- foreign key and no unique index: adding a row waits for nobody.
  create table modules_behind (
    id bigint generated always as identity primary key,
    module_id uuid not null
  );

  create table module_revisions (
    module_id uuid not null references modules,
    revision integer not null check (revision > 0),
    organization_id uuid not null references organizations,
    -- No foreign key: the row of the import is deleted earlier.
    import_id uuid not null,
    -- From the import.
    imported_by text not null,
    -- The run of the trusted publisher that uploaded it; null: a person did.
    publisher jsonb,
    -- The descriptor in normal form, after translations were merged, without the values of environment variables.
    descriptor jsonb not null,
    -- The environment variables with their values, encrypted.
    environment bytea not null,
    -- In English, by the ID in the shipped catalogue; a catalogue with IDs of its own: in the first language by its ID.
    name text generated always as (coalesce(
      jsonb_path_query_first(descriptor, '$.translations[*] ? (@.languageId == "f61a6a1d-cf4f-5538-b036-da98ac9c0818").moduleName') #>> '{}',
      descriptor -> 'translations' -> 0 ->> 'moduleName')) stored,
    -- The data areas that it requests: every read of the module's back end checks this.
    data_area_ids jsonb not null generated always as (descriptor -> 'dataAreaIds') stored,
    roles jsonb,
    -- json keeps the order in which the vendor wrote the parts of the form; jsonb sorts them.
    alert_rules json,
    -- Equal for equal definitions: neither the order of members matters, nor members that a later release has added.
    rules_version text not null generated always as
      (coalesce(md5(jsonb_strip_nulls(alert_rules::jsonb)::text), 'none')) stored,
    -- SHA-256 of the normal form and of every file, encrypted: equal means that an import changes nothing.
    fingerprint bytea not null,
    -- SHA-256 of how each file is compressed: with the fingerprint it decides the bytes of an export.
    packing bytea not null,
    -- The names and versions of the rules that checked the package.
    checks jsonb not null,
    -- The uploaded archive: the content of every file of this revision, and of no other.
    archive_key text not null unique,
    archive_bytes bigint not null,
    archive_sha256 bytea not null,
    created_at timestamptz(3) not null default now(),
    -- Null: staged, seen by its previewers alone.
    released_at timestamptz(3),
    -- When everyone last got it; null: at most a ring or previewers saw it.
    became_current_at timestamptz(3),
    primary key (module_id, revision)
  );
  create index module_revisions_stored on module_revisions (organization_id) include (archive_bytes);

  -- The index of a revision's archive: one row for each file that can be read.
  create table module_files (
    module_id uuid not null,
    revision integer not null,
    path text not null,
    media_type text not null,
    size_bytes bigint not null,
    sha256 bytea not null,
    crc32 bigint not null,
    method text not null check (method in ('stored', 'deflate')),
    -- Where its compressed data is in the archive.
    data_offset bigint not null,
    packed_bytes bigint not null,
    packed_crc32 bigint not null,
    primary key (module_id, revision, path),
    foreign key (module_id, revision) references module_revisions
  );
  -- The portal names what it shows of a package by its content.
  create index module_files_media on module_files (sha256)
    where split_part(path, '/', 1) in ('ModuleLogo', 'ModuleImage', 'ModuleToS', 'ModulePrivacy');

  -- The organizations that see a staged revision.
  create table revision_previewers (
    module_id uuid not null,
    revision integer not null,
    organization_id uuid not null,
    primary key (module_id, organization_id, revision),
    foreign key (module_id, revision) references module_revisions on delete cascade
  );

  -- Archives that nothing needs any more. A row is deleted after its object: until then it counts as stored.
  create table freed_archives (
    archive_key text primary key,
    archive_bytes bigint not null,
    organization_id uuid not null references organizations,
    -- The module of a deleted revision: downloads of it may still run, so it is kept for a while. Null: nothing reads it.
    module_id uuid references modules,
    -- To the microsecond: the collection must find what the same process has just freed.
    freed_at timestamptz not null default now()
  );
  create index freed_archives_module on freed_archives (module_id);
  create index freed_archives_stored on freed_archives (organization_id) include (archive_bytes);
`;
