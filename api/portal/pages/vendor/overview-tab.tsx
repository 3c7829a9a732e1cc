import { useCatalogue } from '../parts/catalogue.ts';
import { FactCards, Facts, useYesOrNo } from '../parts/facts.tsx';
import { isShowable } from '../parts/logo.tsx';
import { Table } from '../parts/table.tsx';
import type { Schemas } from '../server/api-types.ts';
import { useFormats } from '../texts/formats.ts';
import { useTexts } from '../texts/language.ts';

type Module = Schemas['Module'];

/** A module: descriptor, translations, images and files. */
export function OverviewTab({ module }: { readonly module: Module }) {
  return (
    <>
      <Descriptor module={module} />
      <Translations module={module} />
      <Images files={module.files} />
      <Files files={module.files} />
    </>
  );
}

function Descriptor({ module }: { readonly module: Module }) {
  const { vendor } = useTexts();
  const yesOrNo = useYesOrNo();
  const format = useFormats();
  const areas = useCatalogue('dataAreas');
  const currencies = useCatalogue('currencies');
  const { descriptor } = module;
  const texts = vendor.overview;
  const subscriptions = descriptor.subscriptionOptions.map(({ price, currencyId, trialLength }) =>
    [
      `${format.number(price, 15)} ${currencies.get(currencyId)?.key ?? ''}`,
      ...(trialLength === null ? [] : [texts.trial(trialLength)]),
    ].join(', '),
  );
  return (
    <section>
      <h2>{texts.descriptor}</h2>
      <Facts
        of={[
          [texts.moduleId, <code key="id">{module.id}</code>],
          [texts.scope, descriptor.scope],
          [texts.internalVersion, descriptor.vendorInternalCodeVersion],
          [texts.deploymentType, descriptor.deploymentType],
          [texts.offline, yesOrNo(descriptor.offlineCapability)],
          [texts.dataAreas, descriptor.dataAreaIds.map((id) => areas.get(id)?.value ?? id).join(', ')],
          [texts.subscriptions, subscriptions.join(' · ')],
          [texts.environment, descriptor.environmentVariables.map(({ key }) => key).join(', ')],
        ]}
      />
    </section>
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
          [texts.description, each.description ?? each.shortDescription],
          [texts.website, each.websiteUrl],
          [texts.support, each.supportContact],
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
    <section>
      <h2>{vendor.overview.images}</h2>
      <ul class="plain images">
        {images.map(({ path, sha256 }) => (
          <li key={path}>
            <img src={`/portal/media/${sha256}`} alt={path} loading="lazy" />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Files({ files }: { readonly files: Module['files'] }) {
  const { vendor } = useTexts();
  const format = useFormats();
  const texts = vendor.overview;
  return (
    <section>
      <h2>{texts.files}</h2>
      <Table label={texts.files} columns={[texts.path, texts.kind, texts.size]}>
        {files.map(({ path, mediaType, sizeBytes }) => (
          <tr key={path}>
            <td class="path">{path}</td>
            <td>{mediaType}</td>
            <td class="number">{format.bytes(sizeBytes)}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
