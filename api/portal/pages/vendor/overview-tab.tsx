import { useCatalogue } from '../parts/catalogue.ts';
import { Facts } from '../parts/facts.tsx';
import { isShowable } from '../parts/logo.tsx';
import { Table } from '../parts/table.tsx';
import type { ModuleRevision, StoredFile } from '../server/answers.ts';
import { formatBytes, formatNumber } from '../texts/formats.ts';
import { useLanguage, useTexts } from '../texts/language.ts';

/** What a module is: descriptor, translations, images and files. */
export function OverviewTab({ module }: { readonly module: ModuleRevision }) {
  return (
    <>
      <Descriptor module={module} />
      <Translations module={module} />
      <Images files={module.files} />
      <Files files={module.files} />
    </>
  );
}

function Descriptor({ module }: { readonly module: ModuleRevision }) {
  const { common, vendor } = useTexts();
  const language = useLanguage();
  const areas = useCatalogue('dataAreas');
  const currencies = useCatalogue('currencies');
  const { descriptor } = module;
  const texts = vendor.overview;
  const subscriptions = descriptor.subscriptionOptions.map(({ price, currencyId, trialLength }) =>
    [
      `${formatNumber(language, price, 15)} ${currencies.get(currencyId)?.key ?? ''}`,
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
          [
            texts.offline,
            descriptor.offlineCapability === null
              ? null
              : descriptor.offlineCapability
                ? common.yes
                : common.no,
          ],
          [texts.dataAreas, descriptor.dataAreaIds.map((id) => areas.get(id)?.value ?? id).join(', ')],
          [texts.subscriptions, subscriptions.join(' · ')],
          [texts.environment, descriptor.environmentVariables.map(({ key }) => key).join(', ')],
        ]}
      />
    </section>
  );
}

function Translations({ module }: { readonly module: ModuleRevision }) {
  const { common, vendor } = useTexts();
  const texts = vendor.overview;
  const languages = useCatalogue('languages');
  return (
    <section>
      <h2>{texts.translations}</h2>
      <div class="grid-cards">
        {module.descriptor.translations.map((each) => {
          const code = languages.get(each.languageId)?.key;
          return (
            <article key={each.languageId} class="card">
              <h3>{languages.get(each.languageId)?.value ?? each.languageId}</h3>
              <div lang={code}>
                <Facts
                  of={[
                    [common.name, each.moduleName],
                    [texts.shortName, each.shortName],
                    [texts.description, each.description ?? each.shortDescription],
                    [texts.website, each.websiteUrl],
                    [texts.support, each.supportContact],
                  ]}
                />
              </div>
            </article>
          );
        })}
      </div>
    </section>
  );
}

function Images({ files }: { readonly files: readonly StoredFile[] }) {
  const { vendor } = useTexts();
  const images = files.filter(
    ({ path, mediaType }) => /^Module(?:Image|Logo)\//.test(path) && isShowable(mediaType),
  );
  if (images.length === 0) return null;
  return (
    <section>
      <h2>{vendor.overview.images}</h2>
      <ul class="images">
        {images.map(({ path, sha256 }) => (
          <li key={path}>
            <img src={`/portal/media/${sha256}`} alt={path} loading="lazy" />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Files({ files }: { readonly files: readonly StoredFile[] }) {
  const { vendor } = useTexts();
  const language = useLanguage();
  const texts = vendor.overview;
  return (
    <section>
      <h2>{texts.files}</h2>
      <Table label={texts.files} columns={[texts.path, texts.kind, texts.size]}>
        {files.map(({ path, mediaType, sizeBytes }) => (
          <tr key={path}>
            <td class="path">{path}</td>
            <td>{mediaType}</td>
            <td class="number">{formatBytes(language, sizeBytes)}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
