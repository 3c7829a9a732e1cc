/** The longest text of a member that is searched, in characters: PostgreSQL refuses a vector of more than 1 MiB. */
const MAX_CHARACTERS = 40_000;

/** A member's texts in every language, as one text without the escape sequences of JSON. */
function textsOf(member: string): string {
  const json = `left(jsonb_path_query_array(r.descriptor, '$.translations[*].${member}')::text, ${MAX_CHARACTERS})`;
  return `translate(regexp_replace(${json}, '[\\\\][bfnrt]', ' ', 'g'), '-_./:@\\"[],', '           ')`;
}

/** The configuration without stemming: one vector has the texts of all languages, and words are found by their beginnings. */
function vectorOf(...members: readonly string[]): string {
  return `to_tsvector('simple', ${members.map(textsOf).join(" || ' ' || ")})`;
}

/** Whether somebody sees revision `r` of module `m`. */
const VISIBLE = `m.deleted_at is null and r.revision = any(
          array[m.current_revision, m.ring_revision] || m.previewed_revisions)`;

/** The texts that farmers search modules by, of the revisions that somebody sees; a trigger keeps them. */
export const SEARCH = `
  create table search_texts (
    module_id uuid not null,
    revision integer not null,
    -- Of the module, as its time, which orders the market.
    tenant_id uuid not null,
    created_at timestamptz(3) not null,
    category_id text,
    crop_ids text[] not null,
    names tsvector not null,
    -- Of names and descriptions.
    words tsvector not null,
    primary key (module_id, revision),
    foreign key (module_id, revision) references module_revisions on delete cascade
  );
  -- A long list of pending entries is read by each search, and written out by an import that waits for it.
  create index search_texts_words on search_texts using gin (words) with (gin_pending_list_limit = 256);
  create index search_texts_newest on search_texts (tenant_id, created_at desc, module_id desc);

  create function write_search_texts() returns trigger language plpgsql as $$
    begin
      delete from search_texts s using modules m
      where m.id = new.id and s.module_id = m.id and not exists (
        select from module_revisions r where r.module_id = s.module_id and r.revision = s.revision and ${VISIBLE});
      insert into search_texts (module_id, revision, tenant_id, created_at, category_id, crop_ids, names, words)
      select m.id, r.revision, m.tenant_id, m.created_at, r.descriptor ->> 'categoryId',
        array(select jsonb_array_elements_text(coalesce(r.descriptor -> 'cropIds', '[]'))),
        ${vectorOf('moduleName', 'shortName')},
        ${vectorOf('moduleName', 'shortName', 'shortDescription', 'description')}
      from modules m join module_revisions r on r.module_id = m.id
      where ${VISIBLE} and not exists (
        select from search_texts s where s.module_id = r.module_id and s.revision = r.revision) and m.id = new.id;
      return null;
    end $$;
  create trigger modules_search_texts
    after insert or update of current_revision, ring_revision, previewed_revisions, deleted_at on modules
    for each row execute function write_search_texts();
`;
