/** The texts that farmers search modules by, of the revisions that somebody sees. */
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
    -- No foreign key: only a revision that nobody sees is deleted, and its texts are gone by then.
    primary key (module_id, revision)
  );
  -- A long list of pending entries is read by each search, and written out by an import that waits for it.
  create index search_texts_words on search_texts using gin (words) with (gin_pending_list_limit = 256);
  create index search_texts_newest on search_texts (tenant_id, created_at desc, module_id desc);
`;
