import { useCatalogue } from '../parts/catalogue.ts';
import { FactCards, Facts, useYesOrNo } from '../parts/facts.tsx';
import { Table } from '../parts/lists.tsx';
import { Section } from '../parts/page.tsx';
import { PublicationRecord } from '../parts/publication-record.tsx';
import { isShowable } from '../parts/vendor-content.tsx';
import type { Schemas } from '../server/call-api.ts';
import { useFormats, useTexts } from '../texts/language.ts';

type Module = Schemas['Module'];

/** A module: descriptor, translations, images and files. */
export function OverviewTab({ module }: { readonly module: Module }) {
  return (
    <>
      <Descriptor module={module} />
      <PublicationRecord moduleId={module.id} revision={module.revision} />
      <Translations module={module} />
      <Images files={module.files} />
      <Files files={module.files} />
    </>
  );
}

function Descriptor({ module }: { readonly module: Module }) {
  const { common, vendor } = useTexts();
  const yesOrNo = useYesOrNo();
  const format = useFormats();
  const names = useNames();
  const { descriptor } = module;
  const texts = vendor.overview;
  const subscriptions = descriptor.subscriptionOptions.map(
    ({ price, currencyId, paymentCycleId, trialLength }) =>
      [
        [
          format.number(price, 15),
          names.key('currencies', currencyId),
          names.of('paymentCycles', [paymentCycleId]),
        ].join(' '),
        ...(trialLength === null ? [] : [texts.trial(trialLength)]),
      ].join(', '),
  );
  return (
    <Section title={texts.descriptor}>
      <Facts
        of={[
          [texts.moduleId, <code key="id">{module.id}</code>],
          [texts.scope, descriptor.scope],
          [texts.internalVersion, descriptor.vendorInternalCodeVersion],
          [texts.type, names.of('types', [descriptor.typeId])],
          [texts.hosting, names.of('hostingTypes', [descriptor.hostingTypeId])],
          [common.category, names.of('categories', [descriptor.categoryId])],
          [texts.federation, names.of('federationTypes', [descriptor.federationTypeId])],
          [texts.deploymentType, names.ofKey('deploymentTypes', descriptor.deploymentType)],
          [texts.environments, names.of('environments', descriptor.environmentIds)],
          [texts.requirements, names.of('requirements', descriptor.requirementIds)],
          [common.crops, names.of('crops', descriptor.cropIds)],
          [texts.paymentOptions, names.of('paymentOptions', descriptor.paymentOptionIds)],
          [texts.offline, yesOrNo(descriptor.offlineCapability)],
          [texts.dataAreas, names.of('dataAreas', descriptor.dataAreaIds)],
          [texts.subscriptions, subscriptions.join(' · ')],
          [texts.environment, descriptor.environmentVariables.map(({ key }) => key).join(', ')],
        ]}
      />
    </Section>
  );
}

function Translations({ module }: { readonly module: Module }) {
  const { common, vendor } = useTexts();
  const texts = vendor.overview;
  const languages = useCatalogue('languages');
  return (
    <FactCards
      title={texts.translations}
      cards={module.descriptor.translations.map((each) => ({
        name: languages.get(each.languageId)?.value ?? each.languageId,
        lang: languages.get(each.languageId)?.key,
        facts: [
          [common.name, each.moduleName],
          [texts.shortName, each.shortName],
          [common.description, each.description ?? each.shortDescription],
          [common.website, each.websiteUrl],
          [common.support, each.supportContact],
        ],
      }))}
    />
  );
}

function Images({ files }: { readonly files: Module['files'] }) {
  const { vendor } = useTexts();
  const images = files.filter(
    ({ path, mediaType }) => /^Module(?:Image|Logo)\//.test(path) && isShowable(mediaType),
  );
  if (images.length === 0) return null;
  return (
    <Section title={vendor.overview.images}>
      <ul class="plain images">
        {images.map(({ path, sha256 }) => (
          <li key={path}>
            <img src={`/portal/media/${sha256}`} alt={path} loading="lazy" />
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The folder whose files a build tool makes: there are many, with names that mean nothing to people. */
const BUILD = 'PackageArtifact/build/';

function Files({ files }: { readonly files: Module['files'] }) {
  const { vendor } = useTexts();
  const format = useFormats();
  const texts = vendor.overview;
  const built = files.filter(({ path }) => path.startsWith(BUILD));
  const bytes = built.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return (
    <Section title={texts.files}>
      <FileTable label={texts.files} files={files.filter(({ path }) => !path.startsWith(BUILD))} />
      {built.length > 0 && (
        <details>
          <summary>
            <code>{BUILD}</code> {texts.built(format.number(built.length), format.bytes(bytes))}
          </summary>
          <FileTable label={BUILD} files={built} />
        </details>
      )}
    </Section>
  );
}

/** The terms and the privacy policy, which farmers read too. */
const DOCUMENT = /^Module(?:ToS|Privacy)\//;

function FileTable({ label, files }: { readonly label: string; readonly files: Module['files'] }) {
  const texts = useTexts().vendor.overview;
  const format = useFormats();
  if (files.length === 0) return null;
  return (
    <Table
      label={label}
      items={files}
      columns={[
        [
          texts.path,
          ({ path, sha256 }) =>
            DOCUMENT.test(path) ? (
              <a href={`/portal/media/${sha256}`} download={path.split('/').at(-1)}>
                {path}
              </a>
            ) : (
              path
            ),
          'path',
        ],
        [texts.kind, ({ mediaType }) => mediaType],
        [texts.size, ({ sizeBytes }) => format.bytes(sizeBytes), 'number'],
      ]}
    />
  );
}

/** The sets of the catalogue that a descriptor refers to. */
const SETS = [
  'types',
  'hostingTypes',
  'categories',
  'federationTypes',
  'deploymentTypes',
  'environments',
  'requirements',
  'crops',
  'paymentOptions',
  'paymentCycles',
  'currencies',
  'dataAreas',
] as const;

type NamedSet = (typeof SETS)[number];

/** Returns a function that finds the names of catalogue entries in a descriptor. */
function useNames() {
  // Always the same sets in the same order, as hooks need it.
  const sets = new Map(SETS.map((set) => [set, useCatalogue(set)]));
  const entry = (set: NamedSet, id: string) => sets.get(set)?.get(id);
  /** While the set is being fetched, an ID would only flicker. */
  const unknown = (set: NamedSet, text: string) => (sets.get(set)?.size === 0 ? '…' : text);
  return {
    /** The names of IDs; what the catalogue does not know is named by its ID. */
    of: (set: NamedSet, ids: readonly (string | null)[]) =>
      ids.flatMap((id) => (id === null ? [] : [entry(set, id)?.value ?? unknown(set, id)])).join(', '),
    /** The key of an ID, such as the code of a currency. */
    key: (set: NamedSet, id: string) => entry(set, id)?.key ?? unknown(set, id),
    /** The name of a key; null: none is given. */
    ofKey(set: NamedSet, key: number | null) {
      if (key === null) return null;
      const entries = [...(sets.get(set)?.values() ?? [])];
      return entries.find((each) => each.key === String(key))?.value ?? unknown(set, String(key));
    },
  };
}
