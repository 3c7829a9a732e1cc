import type { Translation } from '../../package/descriptor/descriptor.ts';
import type { Database } from '../database.ts';
import { queryRows } from '../statement.ts';
import { visibleRevisions } from './visible-revision.ts';

/** The longest text of a member that is searched, in characters: PostgreSQL refuses a vector of more than 1 MiB. */
const MAX_CHARACTERS = 40_000;

/** Each separates two words that are searched by themselves; PostgreSQL would read an address or a path as one. */
const SEPARATORS = /[-_./:@\\]/g;

const NAMES = ['moduleName', 'shortName'] as const;
const WORDS = [...NAMES, 'shortDescription', 'description'] as const;

/** The texts of a revision that farmers search modules by, in all its languages. */
export interface SearchedTexts {
  readonly searchedNames: string;
  /** Of names and descriptions. */
  readonly searchedWords: string;
}

/** The text of a tsquery for words, or their beginnings, all of which must be there. */
export const prefixQuery = (words: readonly string[]) => words.map((word) => `${word}:*`).join(' & ');

/** The searched texts of a revision with these translations. */
export function searchedTexts(translations: readonly Translation[]): SearchedTexts {
  return { searchedNames: joined(translations, NAMES), searchedWords: joined(translations, WORDS) };
}

function joined(translations: readonly Translation[], members: readonly (typeof WORDS)[number][]): string {
  const textOf = (member: (typeof WORDS)[number]) =>
    translations
      .map((translation) => translation[member] ?? '')
      .join(' ')
      .slice(0, MAX_CHARACTERS);
  // A text may end within a character.
  return members.map(textOf).join(' ').replaceAll(SEPARATORS, ' ').toWellFormed();
}

/** PostgreSQL folds letters by the locale of the database: where that is `C`, ASCII alone. Words are asked for in lower case. */
const vectorOf = (text: string) => `to_tsvector('simple', lower(${text} collate "und-x-icu"))`;

/**
 * The SQL that stores the searched texts of revisions, from rows that also have the time and tenant of the module.
 * The configuration has no stemming: one vector has the texts of all languages, and words are found by their beginnings.
 */
export function insertSearchTexts(from: string): string {
  return `
    insert into search_texts (module_id, revision, tenant_id, created_at, category_id, crop_ids, names, words)
    select module_id, revision, tenant_id, created_at, descriptor ->> 'categoryId',
      array(select jsonb_array_elements_text(coalesce(descriptor -> 'cropIds', '[]'))),
      ${vectorOf('searched_names')}, ${vectorOf('searched_words')}
    from ${from}`;
}

/** The SQL of the names of revision `r`, as they are searched. */
export const NAMES_VECTOR = vectorOf(`translate(concat(
    ${NAMES.map((name) => `jsonb_path_query_array(r.descriptor, '$.translations[*].${name}')`).join(', ')}), '-_./:@\\', '       ')`);

/** The revisions that somebody sees, of some modules. */
const VISIBLE = `
  modules m join module_revisions r on r.module_id = m.id and r.revision = any(${visibleRevisions('m')})
  where m.id = any(:moduleIds::uuid[]) and m.deleted_at is null`;

const FORGET = `
  delete from search_texts where module_id = any(:moduleIds::uuid[])
    and (module_id, revision) not in (select r.module_id, r.revision from ${VISIBLE})`;

const MISSING = `
  select r.module_id, r.revision, r.descriptor -> 'translations' as translations from ${VISIBLE}
    and not exists (select from search_texts s where s.module_id = r.module_id and s.revision = r.revision)`;

const INSERT = insertSearchTexts(`(
    select r.module_id, r.revision, m.tenant_id, m.created_at, r.descriptor, searched_names, searched_words
    from unnest(:ids::uuid[], :revisions::integer[], :names::text[], :words::text[])
        as given (id, revision, searched_names, searched_words)
      join module_revisions r on r.module_id = given.id and r.revision = given.revision
      join modules m on m.id = given.id
  ) as text`);

interface UnsearchedRevision {
  readonly moduleId: string;
  readonly revision: number;
  readonly translations: readonly Translation[];
}

/**
 * Makes the searched texts of modules those of the revisions that somebody sees. Whatever changes which these are calls
 * it in its transaction; an import that releases a revision writes its texts itself.
 */
export async function followVisibleTexts(transaction: Database, moduleIds: readonly string[]): Promise<void> {
  await transaction.raw(FORGET, { moduleIds: [...moduleIds] });
  const missing = await queryRows<UnsearchedRevision>(transaction, MISSING, { moduleIds });
  if (missing.length === 0) return;
  const texts = missing.map(({ translations }) => searchedTexts(translations));
  await transaction.raw(INSERT, {
    ids: missing.map(({ moduleId }) => moduleId),
    revisions: missing.map(({ revision }) => revision),
    names: texts.map(({ searchedNames }) => searchedNames),
    words: texts.map(({ searchedWords }) => searchedWords),
  });
}
