import { useCatalogue } from '../parts/catalogue.ts';
import { useNames } from './descriptor-names.ts';
import { FactCards, Facts, useYesOrNo } from '../parts/facts.tsx';
import { isShowable } from '../parts/logo.tsx';
import { PublicationRecord } from '../parts/publication-record.tsx';
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
      <PublicationRecord moduleId={module.id} revision={module.revision} />
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
    <section>
      <h2>{texts.descriptor}</h2>
      <Facts
        of={[
          [texts.moduleId, <code key="id">{module.id}</code>],
          [texts.scope, descriptor.scope],
          [texts.internalVersion, descriptor.vendorInternalCodeVersion],
          [texts.type, names.of('types', [descriptor.typeId])],
          [texts.hosting, names.of('hostingTypes', [descriptor.hostingTypeId])],
          [texts.category, names.of('categories', [descriptor.categoryId])],
          [texts.federation, names.of('federationTypes', [descriptor.federationTypeId])],
          [texts.deploymentType, names.ofKey('deploymentTypes', descriptor.deploymentType)],
          [texts.environments, names.of('environments', descriptor.environmentIds)],
          [texts.requirements, names.of('requirements', descriptor.requirementIds)],
          [texts.crops, names.of('crops', descriptor.cropIds)],
          [texts.paymentOptions, names.of('paymentOptions', descriptor.paymentOptionIds)],
          [texts.offline, yesOrNo(descriptor.offlineCapability)],
          [texts.dataAreas, names.of('dataAreas', descriptor.dataAreaIds)],
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

/** The folder whose files a build tool makes: there are many, with names that mean nothing to people. */
const BUILD = 'PackageArtifact/build/';

function Files({ files }: { readonly files: Module['files'] }) {
  const { vendor } = useTexts();
  const format = useFormats();
  const texts = vendor.overview;
  const built = files.filter(({ path }) => path.startsWith(BUILD));
  const bytes = built.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return (
    <section>
      <h2>{texts.files}</h2>
      <FileTable label={texts.files} files={files.filter(({ path }) => !path.startsWith(BUILD))} />
      {built.length > 0 && (
        <details>
          <summary>
            <code>{BUILD}</code> {texts.built(format.number(built.length), format.bytes(bytes))}
          </summary>
          <FileTable label={BUILD} files={built} />
        </details>
      )}
    </section>
  );
}

/** The terms and the privacy policy, which farmers read too. */
const DOCUMENT = /^Module(?:ToS|Privacy)\//;

interface FileTableProps {
  readonly label: string;
  readonly files: Module['files'];
}

function FileTable({ label, files }: FileTableProps) {
  const texts = useTexts().vendor.overview;
  const format = useFormats();
  if (files.length === 0) return null;
  return (
    <Table label={label} columns={[texts.path, texts.kind, texts.size]}>
      {files.map(({ path, mediaType, sizeBytes, sha256 }) => (
        <tr key={path}>
          <td class="path">
            {DOCUMENT.test(path) ? (
              <a href={`/portal/media/${sha256}`} download={path.split('/').at(-1)}>
                {path}
              </a>
            ) : (
              path
            )}
          </td>
          <td>{mediaType}</td>
          <td class="number">{format.bytes(sizeBytes)}</td>
        </tr>
      ))}
    </Table>
  );
}
