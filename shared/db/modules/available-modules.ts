import type { AlertRules } from '../../package/alert-rules/alert-rules.ts';
import type { Descriptor, Translation } from '../../package/descriptor/descriptor.ts';
import type { ModuleDocument } from '../../package/documents/applicable-documents.ts';
import type { CustomData } from '../../package/roles/roles-entities.ts';
import type { Database } from '../database.ts';
import type { ModuleKey, ModuleModel } from './models.ts';
import { LOCATED_FILE, type LocatedFile, type RevisionFile } from './located-file.ts';
import { documentsIn } from './module-documents.ts';
import { isQuarantined, quarantineReason, withdrawnReason } from './quarantine-state.ts';
import { visibleRevision } from './visible-revision.ts';
import { preparedStatement, queryRow } from '../statement.ts';

/** A logo or image as farmers see it. */
export type ModuleLogo = Pick<RevisionFile, 'path' | 'mediaType' | 'sha256'>;

/** The members of a translation in a list: the texts of one module alone may be megabytes. */
export type TranslatedName = Pick<Translation, 'languageId' | 'moduleName' | 'shortName'>;

/** Another module that a module needs. */
export interface NeededModule {
  readonly moduleId: string;
  /** Its names; null: the tenant offers no such module. */
  readonly translations: readonly TranslatedName[] | null;
  readonly isInstalled: boolean;
}

/** A module on offer, whole. */
export interface AvailableModule extends Readonly<
  Pick<
    ModuleModel,
    | 'id'
    | 'installations'
    | 'createdAt'
    | 'updatedAt'
    | 'withdrawnReason'
    | 'deprecationMessage'
    | 'successorModuleId'
  >
> {
  readonly quarantineReason: string | null;
  readonly revision: number;
  /** When the revision was released first; null: it is not released yet. */
  readonly releasedAt: Date | null;
  readonly vendorId: string;
  readonly vendorName: string;
  readonly vendorVerified: boolean;
  readonly vendorVersion: string | null;
  readonly translations: readonly Translation[];
  readonly logos: readonly ModuleLogo[];
  readonly images: readonly ModuleLogo[];
  readonly dataAreaIds: readonly string[];
  readonly categoryId: string | null;
  readonly cropIds: readonly string[];
  readonly subscriptionOptions: Descriptor['subscriptionOptions'];
  readonly entities: readonly CustomData[] | null;
  readonly alertRules: AlertRules | null;
  readonly terms: readonly ModuleDocument[];
  readonly privacy: readonly ModuleDocument[];
  /** When the content of each of these files was imported first, by its path; in UTC. */
  readonly documentDates: Readonly<Record<string, string>>;
  readonly dependencies: readonly NeededModule[];
  /** The country of the organization that reads it. */
  readonly countryCode: string | null;
  /** The revision that the organization decided about; null: it does not have the module installed. */
  readonly installedRevision: number | null;
}

const imagesIn = (folder: 'ModuleLogo' | 'ModuleImage') => `
  (select coalesce(jsonb_agg(jsonb_build_object('path', f.path, 'mediaType', f.media_type,
      'sha256', encode(f.sha256, 'hex')) order by f.path), '[]')
   from module_files f
   where f.module_id = r.module_id and f.revision = r.revision and starts_with(f.path, '${folder}/'))`;

/** The logos of revision `r`, as a column. */
export const LOGOS = `${imagesIn('ModuleLogo')} as logos`;

const namesOf = (revision: string) => `
  (select coalesce(jsonb_agg(jsonb_build_object('languageId', t -> 'languageId', 'moduleName', t -> 'moduleName',
      'shortName', t -> 'shortName') order by t ->> 'languageId'), '[]')
   from jsonb_array_elements(${revision}.descriptor -> 'translations') t)`;

/** The names of revision `r` in its languages, as a column. */
export const TRANSLATED_NAMES = `${namesOf('r')} as translations`;

const DEPENDENCIES = `
  (select coalesce(jsonb_agg(jsonb_build_object('moduleId', needed.id, 'translations', case when nr.revision is not null then ${namesOf('nr')} end,
      'isInstalled', exists (select from installations i where i.organization_id = o.id and i.module_id = needed.id::uuid))
      order by needed.id), '[]')
   from jsonb_array_elements_text(r.descriptor -> 'dependencies') needed (id)
     left join lateral (
       select * from modules where id = needed.id::uuid and tenant_id = o.tenant_id and deleted_at is null offset 0
     ) nm on true
     left join module_revisions nr on nr.module_id = nm.id and nr.revision = ${visibleRevision('nm', 'o.id')}) as dependencies`;

/** Of each terms and privacy file of revision `r`, the import of the oldest revision that is kept with this content. */
const DOCUMENT_DATES = `
  (select coalesce(jsonb_object_agg(f.path, first.created_at at time zone 'UTC'), '{}')
   from module_files f join module_revisions first on first.module_id = f.module_id and first.revision = (
     select min(same.revision) from module_files same
     where same.module_id = f.module_id and same.path = f.path and same.sha256 = f.sha256)
   where f.module_id = r.module_id and f.revision = r.revision
     and split_part(f.path, '/', 1) in ('ModuleToS', 'ModulePrivacy')) as document_dates`;

/** Null where the organization does not see it: it was deleted, or never released. */
const SUCCESSOR = `
  (select s.id from modules s where s.id = m.successor_module_id and s.deleted_at is null
     and ${visibleRevision('s', 'o.id')} is not null) as successor_module_id`;

const offerOf = (revision: string) => `
  select m.id, ${withdrawnReason('m')} as withdrawn_reason, m.deprecation_message, ${SUCCESSOR}, ${quarantineReason('m')} as quarantine_reason, m.installations, r.revision, m.created_at, m.updated_at, r.released_at, vendor.id as vendor_id, vendor.name as vendor_name, vendor.verified as vendor_verified, o.country_code,
    r.descriptor ->> 'vendorInternalCodeVersion' as vendor_version, r.descriptor -> 'translations' as translations,
    ${LOGOS}, ${imagesIn('ModuleImage')} as images, r.descriptor -> 'dataAreaIds' as data_area_ids,
    r.descriptor ->> 'categoryId' as category_id, r.descriptor -> 'cropIds' as crop_ids,
    r.descriptor -> 'subscriptionOptions' as subscription_options, r.roles -> 'data' as entities, r.alert_rules,
    ${documentsIn('ModuleToS')} as terms, ${documentsIn('ModulePrivacy')} as privacy, ${DOCUMENT_DATES}, ${DEPENDENCIES},
    (select i.offered_revision from installations i where i.organization_id = o.id and i.module_id = m.id)
      as installed_revision
  from organizations o join modules m on m.tenant_id = o.tenant_id
    join module_revisions r on r.module_id = m.id and r.revision = ${revision}
    join organizations vendor on vendor.id = m.organization_id
  where m.id = :moduleId and o.id = :organizationId and m.deleted_at is null`;

/** A module that the organization's tenant offers, as the organization sees it; null where there is none. */
export async function findAvailableModule(
  database: Database,
  organizationId: string,
  moduleId: string,
): Promise<AvailableModule | null> {
  const statement = offerOf(visibleRevision('m', 'o.id'));
  return queryRow<AvailableModule>(database, statement, { moduleId, organizationId });
}

/** A revision of an own module, released or not, as a farmer of the vendor's country sees it; null where there is none. */
export async function findRevisionOffer(
  database: Database,
  { organizationId, moduleId }: ModuleKey,
  revision: number,
): Promise<AvailableModule | null> {
  const statement = `${offerOf(':revision')} and m.organization_id = o.id`;
  return queryRow<AvailableModule>(database, statement, { moduleId, organizationId, revision });
}

const FILE = preparedStatement(
  `select ${LOCATED_FILE}
   from organizations o join modules m on m.tenant_id = o.tenant_id
   join module_revisions r on r.module_id = m.id and r.revision = ${visibleRevision('m', 'o.id')}
   join module_files f on f.module_id = r.module_id and f.revision = r.revision
   where m.id = :moduleId and o.id = :organizationId and m.deleted_at is null and not ${isQuarantined('m')} and f.path = :path
     and split_part(f.path, '/', 1) in ('ModuleLogo', 'ModuleImage', 'ModuleToS', 'ModulePrivacy')`,
);

/** An image, logo, terms or privacy file of a module that the organization can see; null where there is none. */
export async function findAvailableFile(
  database: Database,
  organizationId: string,
  moduleId: string,
  path: string,
): Promise<LocatedFile | null> {
  return queryRow<LocatedFile>(database, FILE, { moduleId, organizationId, path });
}
