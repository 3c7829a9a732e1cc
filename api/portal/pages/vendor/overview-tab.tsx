import { nameIn, useCatalogue, useEntryName, useLanguageName, useNames } from '../parts/catalogue.ts';
import { FactCards, Facts, useYesOrNo } from '../parts/facts.tsx';
import { Table } from '../parts/lists.tsx';
import { Section } from '../parts/page.tsx';
import { PublicationRecord } from '../parts/publication-record.tsx';
import { Images } from '../parts/vendor-content.tsx';
import type { Schemas } from '../server/call-api.ts';
import { useFormats, useTexts } from '../texts/language.ts';

type Module = Schemas['Module'];

/** A module: what farmers read and see, its files, then how it was published and described. */
export function OverviewTab({ module }: { readonly module: Module }) {
  const { vendor } = useTexts();
  return (
    <>
      <Translations module={module} />
      <Images
        title={vendor.overview.images}
        of={module.files.filter(({ path }) => /^Module(?:Image|Logo)\//.test(path))}
        altOf={({ path }) => path}
      />
      <Files files={module.files} />
      <PublicationRecord moduleId={module.id} revision={module.revision} />
      <Descriptor module={module} />
    </>
  );
}

function Descriptor({ module }: { readonly module: Module }) {
  const { common, market, vendor } = useTexts();
  const yesOrNo = useYesOrNo();
  const { descriptor } = module;
  const texts = vendor.overview;
  const subscriptions = useSubscriptions(module);
  const deploymentType = String(descriptor.deploymentType ?? '');
  const deploymentTypes = [...useCatalogue('deploymentTypes').values()];
  return (
    <Section title={texts.descriptor}>
      <Facts
        of={[
          [texts.moduleId, <code key="id">{module.id}</code>],
          [texts.scope, descriptor.scope],
          [texts.internalVersion, descriptor.vendorInternalCodeVersion],
          [texts.type, useNames('types', [descriptor.typeId])],
          [texts.hosting, useNames('hostingTypes', [descriptor.hostingTypeId])],
          [common.category, useNames('categories', [descriptor.categoryId])],
          [texts.federation, useNames('federationTypes', [descriptor.federationTypeId])],
          [
            texts.deploymentType,
            deploymentTypes.find(({ key }) => key === deploymentType)?.value ?? deploymentType,
          ],
          [texts.environments, useNames('environments', descriptor.environmentIds)],
          [texts.requirements, useNames('requirements', descriptor.requirementIds)],
          [common.crops, useNames('crops', descriptor.cropIds)],
          [texts.paymentOptions, useNames('paymentOptions', descriptor.paymentOptionIds)],
          [texts.offline, yesOrNo(descriptor.offlineCapability)],
          [
            texts.dataAreas,
            useNames(
              'dataAreas',
              descriptor.dataAreaIds,
              ({ key, value }) => market.areas[key]?.[0] ?? value,
            ),
          ],
          [texts.subscriptions, subscriptions],
          [texts.environment, [...new Set(descriptor.environmentVariables.map(({ key }) => key))].join(', ')],
        ]}
      />
    </Section>
  );
}

/** The prices of a module, as the package states them. */
function useSubscriptions({ descriptor }: Module): string {
  const texts = useTexts().vendor.overview;
  const format = useFormats();
  const nameOf = useEntryName();
  const [currencies, cycles] = [useCatalogue('currencies'), useCatalogue('paymentCycles')];
  const subscriptions = descriptor.subscriptionOptions.map(
    ({ price, currencyId, paymentCycleId, trialLength }) =>
      [
        [
          format.number(price, 15),
          nameIn(currencies, currencyId, ({ key }) => key),
          nameIn(cycles, paymentCycleId, nameOf),
        ].join(' '),
        ...(trialLength === null ? [] : [texts.trial(trialLength)]),
      ].join(', '),
  );
  return subscriptions.join(' · ');
}

function Translations({ module }: { readonly module: Module }) {
  const { common, vendor } = useTexts();
  const texts = vendor.overview;
  const languages = useCatalogue('languages');
  const nameOf = useLanguageName();
  return (
    <FactCards
      title={texts.translations}
      cards={module.descriptor.translations.map((each) => ({
        name: nameIn(languages, each.languageId, nameOf),
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
  const { common, vendor } = useTexts();
  const texts = vendor.overview;
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
        [common.kind, ({ mediaType }) => mediaType],
        [texts.size, ({ sizeBytes }) => format.bytes(sizeBytes), 'number'],
      ]}
    />
  );
}
