import type { Organization } from '../access/organizations.ts';
import type { Database } from '../database.ts';
import type { Page, PageRequest } from '../keyset-page.ts';
import { LOGOS, TRANSLATED_NAMES, type AvailableModule, type TranslatedName } from './available-modules.ts';
import { isSuspended } from '../access/suspension-state.ts';
import { isQuarantined } from './quarantine-state.ts';
import { prefixQuery } from './search-texts.ts';
import { visibleRevision } from './visible-revision.ts';
import { onlyRow, queryRows } from '../statement.ts';

/** A farmer's search for modules; null: any. */
export interface ListingFilter {
  /** Words of the texts, or their beginnings: all of them must be there. */
  readonly words: readonly string[] | null;
  readonly categoryId: string | null;
  readonly cropId: string | null;
  readonly vendorId: string | null;
}

/** The name of a module, and its description in one sentence. */
export type ListedTexts = TranslatedName & { readonly shortDescription: string | null };

/** A module as the market lists it. */
export interface ListedModule
  extends
    Pick<AvailableModule, 'id' | 'revision' | 'releasedAt' | 'vendorId' | 'vendorName' | 'vendorVerified'>,
    Pick<AvailableModule, 'logos' | 'dataAreaIds' | 'categoryId' | 'subscriptionOptions' | 'installations'>,
    Pick<AvailableModule, 'createdAt' | 'updatedAt'> {
  readonly translations: readonly TranslatedName[];
  /** In the languages that were asked for, as far as the module has them. */
  readonly texts: readonly ListedTexts[];
  readonly isInstalled: boolean;
}

export type Viewer = Pick<Organization, 'id' | 'tenantId'>;

interface Search {
  readonly conditions: readonly string[];
  readonly isNamed: boolean;
  readonly isOfVendor: boolean;
}

/*
 * A subquery, so that the plan does not depend on the words: for frequent ones PostgreSQL would compare the words of all
 * modules one after the other, instead of reading the index.
 */
const MATCHES = `(select to_tsquery('simple', :query))`;

/** The rank of the last module of the page before, which may be gone. */
const RANK_OF_LAST = `coalesce((
          select h.rank from hits h join modules m on m.id = h.module_id
          where m.id = :afterId::uuid and h.revision = ${visibleRevision('m', ':viewerId::uuid')}), 0)`;

/** More modules than these are not counted. */
export const MAX_COUNTED = 100;

/** A vendor has few modules: they are read before they are sorted. */
const hitsOf = ({ isNamed, isOfVendor, conditions }: Search) => `
    hits as ${isOfVendor ? 'materialized' : ''} (
      select module_id, revision, created_at, ${isNamed ? `(names @@ ${MATCHES})::int` : '0'} as rank from search_texts
      where ${['tenant_id = :tenantId', ...conditions].join(' and ')}
    )`;

/*
 * The module of a hit `h` if the viewer sees it: withdrawn ones and those in quarantine only if installed. `offset 0`
 * keeps PostgreSQL from joining all modules first, whose number it cannot estimate.
 */
const SEEN = `cross join lateral (
        select m.updated_at, m.installations from modules m
        where m.id = h.module_id and h.revision = ${visibleRevision('m', ':viewerId::uuid')}
          and (m.withdrawn_at is null and not ${isQuarantined('m')} and not ${isSuspended('m.organization_id')} or exists (
            select from installations i where i.organization_id = :viewerId::uuid and i.module_id = m.id))
        offset 0
      ) m`;

/** The order of an index is all that keeps PostgreSQL from reading the whole table; words and vendors have their own. */
const countOf = (search: Search) => `
  with ${hitsOf(search)}
  select count(*)::int as total from (
    select from hits h ${SEEN}
    ${search.isNamed || search.isOfVendor ? '' : 'order by h.created_at desc, h.module_id desc'} limit ${MAX_COUNTED}
  ) counted`;

/*
 * The filter's hits among the visible revisions; those whose names match first, then by the time of their
 * module. In this order each module is looked up, until there are enough that the viewer sees. Words are sorted before;
 * without words an index has the order.
 */
const foundBy = (search: Search) => {
  const { isNamed } = search;
  const order = isNamed ? 'rank desc, created_at desc, module_id desc' : 'created_at desc, module_id desc';
  const last = isNamed ? `${RANK_OF_LAST}, :afterAt::timestamptz` : ':afterAt::timestamptz';
  const isAfter = `(:afterId::uuid is null
    or (${order.replaceAll(' desc', '')}) < (${last}, :afterId::uuid))`;
  return `
    ${hitsOf(search)},
    found as (
      select h.module_id as id, h.created_at, m.updated_at, m.installations, h.revision, h.rank
      from ${isNamed ? `(select * from hits where ${isAfter} order by ${order})` : 'hits'} h ${SEEN}
      ${isNamed ? '' : `where ${isAfter}`} order by ${order} limit :limit
    )`;
};

/** A descriptor may be long and is stored compressed: its members are read at once, rather than each from the whole. */
const PAGE = `
  select f.id, f.revision, f.created_at, f.updated_at, f.installations, r.released_at, o.id as vendor_id, o.name as vendor_name, o.verified as vendor_verified, ${TRANSLATED_NAMES}, ${LOGOS},
    d."dataAreaIds" as data_area_ids, d."categoryId" as category_id, d."subscriptionOptions" as subscription_options,
    (select coalesce(jsonb_agg(t), '[]') from jsonb_array_elements(d.translations) t
     where t ->> 'languageId' = any(:languageIds)) as texts,
    exists (select from installations i where i.organization_id = :viewerId::uuid and i.module_id = f.id) as is_installed
  from found f join module_revisions r on r.module_id = f.id and r.revision = f.revision
    join organizations o on o.id = r.organization_id
    cross join lateral jsonb_to_record(r.descriptor) as d (
      translations jsonb, "dataAreaIds" jsonb, "categoryId" text, "subscriptionOptions" jsonb)
  order by f.rank desc, f.created_at desc, f.id desc`;

export interface ListedPage extends Page<ListedModule> {
  /** The number on all pages, at most `MAX_COUNTED`; null: this is not the first page. */
  readonly total: number | null;
}

/** A page of the modules that the viewer can see: newest first, those with a matching name before the others. */
export async function listOfferedModules(
  database: Database,
  viewer: Viewer,
  filter: ListingFilter,
  languageIds: readonly string[],
  { limit, after }: PageRequest,
): Promise<ListedPage> {
  const search = searchOf(filter);
  const values = {
    viewerId: viewer.id,
    tenantId: viewer.tenantId,
    query: prefixQuery(filter.words ?? []),
    categoryId: filter.categoryId,
    cropId: filter.cropId,
    vendorId: filter.vendorId,
    languageIds: [...languageIds],
    limit: limit + 1,
    afterAt: after?.createdAt ?? null,
    afterId: after?.id ?? null,
  };
  const rows = await queryRows<ListedModule>(database, `with ${foundBy(search)} ${PAGE}`, values);
  const counted = after === null ? await onlyRow<{ total: number }>(database, countOf(search), values) : null;
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const next = rows.length > limit && last !== undefined ? { createdAt: last.createdAt, id: last.id } : null;
  return { rows: page, next, total: counted?.total ?? null };
}

function searchOf({ words, categoryId, cropId, vendorId }: ListingFilter): Search {
  const isNamed = words !== null;
  const conditions = [
    ...(isNamed ? [`words @@ ${MATCHES}`] : []),
    ...(categoryId === null ? [] : ['category_id = :categoryId']),
    ...(cropId === null ? [] : ['crop_ids @> array[:cropId::text]']),
    ...(vendorId === null
      ? []
      : ['module_id = any(array(select id from modules where organization_id = :vendorId::uuid))']),
  ];
  return { conditions, isNamed, isOfVendor: vendorId !== null };
}
