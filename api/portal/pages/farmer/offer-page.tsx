import type { ComponentChildren, JSX } from 'preact';
import type { PageParameters } from '../navigation.ts';
import { Loaded } from '../parts/lists.tsx';
import { PageHead, Section, useOrganization } from '../parts/page.tsx';
import { Provenance } from '../parts/publication-record.tsx';
import { Images, Logo, Markdown, WebLink } from '../parts/vendor-content.tsx';
import type { Schemas } from '../server/call-api.ts';
import { useResource } from '../server/use-resource.ts';
import { useLanguage, useTexts } from '../texts/language.ts';
import { ApplicationLink } from './application-page.tsx';
import { OfferActions } from './install-dialogs.tsx';
import { DataAreas, PendingNote } from './market-card.tsx';
import { Documents } from './module-documents.tsx';
import { useAreaReasons, useInstallationWords } from './market-words.ts';
import { PriceList } from './price-list.tsx';
import { ReportButton } from './report-button.tsx';
import { MarketLink, Verification, VendorLink } from './vendor.tsx';
import { useLanguageName, useNames } from '../parts/catalogue.ts';
import { Facts, Time } from '../parts/facts.tsx';

type Offer = Schemas['AvailableModule'];

interface OfferProps {
  readonly offer: Offer;
}

/** The page of a module that a farmer reads before installing it. */
export function OfferPage({ moduleId }: PageParameters) {
  const texts = useTexts().market;
  const { id } = useOrganization();
  const language = useLanguage();
  const offer = useResource(`/${id}/availableModules/${moduleId}?language=${language}`);
  return (
    <Loaded of={offer}>
      {(value) => (
        <>
          <p>
            <MarketLink to="">{texts.back}</MarketLink>
          </p>
          {value.releasedAt === null && <p class="note">{texts.preview(value.revision)}</p>}
          <OfferView offer={value} report={<ReportButton module={value} />}>
            {value.installed ? (
              <Installed offer={value} reload={offer.reload} />
            ) : (
              <div class="row">
                <OfferActions
                  {...{ module: value, installation: null, reload: offer.reload }}
                  canInstall={isOffered(value)}
                />
              </div>
            )}
          </OfferView>
        </>
      )}
    </Loaded>
  );
}

interface InstalledProps extends OfferProps {
  /** Reads the offer again. */
  readonly reload: () => Promise<void>;
}

/** The actions on an installed module. */
function Installed({ offer, reload }: InstalledProps) {
  const { id } = useOrganization();
  const read = useResource(`/${id}/installations/${offer.id}`);
  const reloadBoth = async () => {
    // The offer first: after an uninstallation it ends this component, before it can show that the installation is not found.
    await reload();
    await read.reload();
  };
  return (
    <Loaded of={read}>
      {(installation) => (
        <>
          <div class="row">
            <OfferActions {...{ module: offer, installation, reload: reloadBoth }} />
            <ApplicationLink installation={installation} name={offer.name} />
          </div>
          <PendingNote installation={installation} />
        </>
      )}
    </Loaded>
  );
}

function isOffered({ withdrawnReason, quarantineReason }: Offer): boolean {
  return withdrawnReason === null && quarantineReason === null;
}

interface OfferViewProps extends OfferProps {
  /** The reader's actions, if there are any. */
  readonly children?: ComponentChildren;
  /** How the reader reports the module. */
  readonly report?: ComponentChildren;
}

/** An offer as farmers read it. */
export function OfferView({ offer, children, report }: OfferViewProps) {
  return (
    <>
      <OfferHead offer={offer} />
      <div class="offer">
        <OfferCard offer={offer} report={report}>
          {children}
        </OfferCard>
        <OfferSections offer={offer} />
      </div>
    </>
  );
}

function OfferHead({ offer }: OfferProps) {
  const texts = useTexts().market;
  return (
    <>
      <div class="row titled">
        <Logo name={offer.name} logos={offer.logos} />
        <PageHead title={offer.name} lead={offer.shortDescription ?? undefined} />
      </div>
      {offer.quarantineReason !== null && <p class="note bad">{texts.quarantined(offer.quarantineReason)}</p>}
      {offer.withdrawnReason !== null && (
        <p class="note warn">
          {texts.withdrawn(offer.withdrawnReason)} {offer.installed && texts.staysInstalled}
        </p>
      )}
      {offer.deprecationMessage !== null && (
        <p class="note warn">
          {texts.deprecated(offer.deprecationMessage)}{' '}
          {offer.successorModuleId !== null && (
            <MarketLink to={`/${offer.successorModuleId}`}>{texts.successor}</MarketLink>
          )}
        </p>
      )}
    </>
  );
}

/** What a farmer decides by: price, data areas and vendor. It stays in view beside the long texts. */
function OfferCard({ offer, children, report }: OfferViewProps) {
  const texts = useTexts().market;
  const reasonOf = useAreaReasons(offer);
  return (
    <section class="card" aria-label={texts.decide}>
      <PriceList prices={offer.prices} isInstalled={offer.installed} />
      {children}
      <DataAreas title={texts.requests} ids={offer.dataAreaIds} reasonOf={reasonOf} />
      <p>
        <VendorLink of={offer} /> <Verification of={offer} />
      </p>
      {offer.releasedAt !== null && <Provenance moduleId={offer.id} revision={offer.revision} />}
      {report}
    </section>
  );
}

function OfferSections({ offer }: OfferProps) {
  const texts = useTexts().market;
  return (
    <div>
      <Images title={texts.images} of={offer.images} altOf={(_image, index) => texts.image(index + 1)} />
      {offer.description !== null && (
        <Section title={texts.about}>
          <Markdown text={offer.description} />
        </Section>
      )}
      <Changes offer={offer} />
      <Entities offer={offer} />
      <Dependencies offer={offer} />
      <OfferDetails offer={offer} />
      <section>
        <Documents offer={offer} />
      </section>
    </div>
  );
}

/** What the revision changes: in the words of its vendor, and what the service found. */
function Changes({ offer }: OfferProps) {
  const texts = useTexts().market;
  const { changes, releaseNotes } = offer;
  if (changes === null && releaseNotes === null) return null;
  return (
    <Section title={texts.whatChanged}>
      {releaseNotes !== null && <Markdown text={releaseNotes} />}
      {changes !== null && <ChangedParts {...{ offer, changes }} />}
    </Section>
  );
}

interface ChangedPartsProps extends OfferProps {
  readonly changes: NonNullable<Offer['changes']>;
}

function ChangedParts({ offer, changes }: ChangedPartsProps) {
  const { common, market: texts } = useTexts();
  const reasonOf = useAreaReasons(offer);
  const since = changes.sinceVendorVersion ?? `${common.revision} ${changes.sinceRevision}`;
  const parts = changes.parts.map((part) => texts.parts[part]);
  return (
    <>
      <p>
        {texts.since(since)} {(parts.length === 0 ? [texts.application] : parts).join(', ')}
      </p>
      {changes.addedDataAreaIds.length > 0 && (
        <DataAreas title={texts.pendingAreas} ids={changes.addedDataAreaIds} reasonOf={reasonOf} />
      )}
    </>
  );
}

function Entities({ offer: { entities } }: OfferProps) {
  const texts = useTexts().market;
  return (
    <Bullets title={texts.entities}>
      {entities.map(({ name, intention, internalOnly }) => (
        <li key={name}>
          <strong>{name}</strong>: {intention}
          {internalOnly === true && ` (${texts.internal})`}
        </li>
      ))}
    </Bullets>
  );
}

function Dependencies({ offer: { dependencies } }: OfferProps) {
  const texts = useTexts().market;
  return (
    <Bullets title={texts.dependencies}>
      {dependencies.map(({ moduleId, name, installed }) => (
        <li key={moduleId}>
          {name === null ? (
            texts.unknownModule(moduleId)
          ) : (
            <MarketLink to={`/${moduleId}`}>{name}</MarketLink>
          )}
          {installed && ` (${texts.installed})`}
        </li>
      ))}
    </Bullets>
  );
}

/** A section with a list; nothing if it has no items. */
function Bullets({ title, children }: { readonly title: string; readonly children: readonly JSX.Element[] }) {
  if (children.length === 0) return null;
  return (
    <Section title={title}>
      <ul>{children}</ul>
    </Section>
  );
}

/** Facts about a module: version, category, crops, languages, website and support. */
function OfferDetails({ offer }: { readonly offer: Schemas['AvailableModule'] }) {
  const { common, market: texts } = useTexts();
  const installationWords = useInstallationWords();
  const languageIds = offer.translations.map(({ languageId }) => languageId);
  return (
    <Section title={texts.facts}>
      <Facts
        of={[
          [common.version, offer.vendorVersion],
          [common.revision, offer.revision],
          [texts.released, offer.releasedAt === null ? null : <Time value={offer.releasedAt} />],
          [texts.usage, offer.installations === 0 ? null : installationWords(offer.installations)],
          [common.category, useNames('categories', [offer.categoryId])],
          [common.crops, useNames('crops', offer.cropIds)],
          [texts.languages, useNames('languages', languageIds, useLanguageName())],
          [common.website, websiteOf(offer)],
          [common.support, supportOf(offer)],
        ]}
      />
    </Section>
  );
}

function websiteOf({ websiteUrl, websiteName }: Schemas['AvailableModule']) {
  return websiteUrl === null ? null : <WebLink href={websiteUrl}>{websiteName ?? websiteUrl}</WebLink>;
}

function supportOf({ supportContact }: Schemas['AvailableModule']) {
  return supportContact === null ? null : <a href={`mailto:${supportContact}`}>{supportContact}</a>;
}
