import type { NewIndex } from './migration.ts';

/** What farmers search modules by, the list of consents, and the files that the portal shows. */
export const name = '0016-listing-indexes';

/** A member's texts in every language; `shared/db/modules/search-texts.ts` has the same expressions. */
const texts = (member: string) =>
  `translate(regexp_replace(left(jsonb_path_query_array(descriptor, '$.translations[*].${member}')::text, 40000), '[\\\\][bfnrt]', ' ', 'g'), '-_./:@\\"[],', '           ')`;

const words = (members: readonly string[]) =>
  `module_revisions using gin (to_tsvector('simple', ${members.map(texts).join(" || ' ' || ")}))
   with (gin_pending_list_limit = 256)`;

export const indexes: readonly NewIndex[] = [
  { name: 'consents_newest', on: 'consents (organization_id, created_at desc, id desc)' },
  {
    // The portal names what it shows of a package by its content.
    name: 'module_files_media',
    on: `module_files (sha256)
      where split_part(path, '/', 1) in ('ModuleLogo', 'ModuleImage', 'ModuleToS', 'ModulePrivacy')`,
  },
  { name: 'module_revisions_names', on: words(['moduleName', 'shortName']) },
  {
    name: 'module_revisions_words',
    on: words(['moduleName', 'shortName', 'shortDescription', 'description']),
  },
  { name: 'module_revisions_category', on: "module_revisions ((descriptor ->> 'categoryId'))" },
  { name: 'module_revisions_crops', on: "module_revisions using gin ((descriptor -> 'cropIds'))" },
];
