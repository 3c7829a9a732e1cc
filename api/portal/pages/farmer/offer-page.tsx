import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { Loaded } from '../parts/loaded.tsx';
import { isShowable, Logo } from '../parts/logo.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { PublicationRecord } from '../parts/publication-record.tsx';
import { PageHead } from '../parts/page-head.tsx';
import type { Schemas } from '../server/api-types.ts';
import { useList, useResource } from '../server/use-resource.ts';
import { useLanguage, useTexts } from '../texts/language.ts';
import { ApplicationLink } from './application-link.tsx';
import { Documents, OfferDialog } from './install-dialogs.tsx';
import { DataAreas, OfferActions, PendingNote, VendorLink, type MarketDialog } from './market-card.tsx';
import { OfferDetails } from './offer-details.tsx';
import { usePriceWords } from './market-words.ts';

type Offer = Schemas['AvailableModule'];

interface OfferProps {
  readonly offer: Offer;
}

/** What a farmer reads about a module before installing it. */
export function OfferPage({ moduleId = '' }: Readonly<Record<string, string>>) {
  const { id } = useOrganization();
  const language = useLanguage();
  const offer = useResource(`/${id}/availableModules/${moduleId}?language=${language}`);
  const installations = useList(`/${id}/installations?limit=200`);
  const [dialog, setDialog] = useState<MarketDialog | null>(null);
  const installation = installations.value?.find((each) => each.moduleId === moduleId) ?? null;
  return (
    <Loaded of={offer}>
      {(value) => (
        <>
          <OfferHead offer={value} installation={installation} onOpen={setDialog} />
          <PendingNote installation={installation} />
          <OfferSections offer={value} />
          {dialog !== null && (
            <OfferDialog
              dialog={dialog}
              module={value}
              installation={installation}
              onDone={async () => {
                await Promise.all([installations.reload(), offer.reload()]);
              }}
              onClose={() => setDialog(null)}
            />
          )}
        </>
      )}
    </Loaded>
  );
}

interface OfferHeadProps extends OfferProps {
  readonly installation: Schemas['Installation'] | null;
  readonly onOpen: (dialog: MarketDialog) => void;
}

function OfferHead({ offer, installation, onOpen }: OfferHeadProps) {
  const texts = useTexts().farmer.market;
  const { id } = useOrganization();
  const canInstall = offer.withdrawnReason === null && offer.quarantineReason === null;
  return (
    <>
      <p>
        <a href={`/portal/${id}/market`}>{texts.back}</a>
      </p>
      <PageHead title={offer.name} lead={offer.shortDescription ?? undefined}>
        <Logo name={offer.name} logos={offer.logos} />
        <ApplicationLink installation={installation} name={offer.name} />
        <OfferActions
          name={offer.name}
          isInstalled={installation !== null}
          canInstall={canInstall}
          onOpen={onOpen}
        />
      </PageHead>
      <p class="quiet">
        <VendorLink of={offer} />
      </p>
      {offer.quarantineReason !== null && <p class="note bad">{texts.quarantined(offer.quarantineReason)}</p>}
      {offer.withdrawnReason !== null && <p class="note warn">{texts.withdrawn(offer.withdrawnReason)}</p>}
      {offer.deprecationMessage !== null && (
        <p class="note warn">
          {texts.deprecated(offer.deprecationMessage)}{' '}
          {offer.successorModuleId !== null && (
            <a href={`/portal/${id}/market/${offer.successorModuleId}`}>{texts.successor}</a>
          )}
        </p>
      )}
    </>
  );
}

function OfferSections({ offer }: OfferProps) {
  const texts = useTexts().farmer.market;
  return (
    <>
      {offer.description !== null && (
        <section>
          <h2>{texts.about}</h2>
          <Markdown text={offer.description} />
        </section>
      )}
      <Images offer={offer} />
      <Changes offer={offer} />
      <Prices offer={offer} />
      <section>
        <h2>{texts.dataAreas}</h2>
        <DataAreas title={texts.requests} ids={offer.dataAreaIds} />
      </section>
      <Entities offer={offer} />
      <Dependencies offer={offer} />
      <OfferDetails offer={offer} />
      <PublicationRecord moduleId={offer.id} revision={offer.revision} />
      <section>
        <Documents offer={offer} />
      </section>
    </>
  );
}

function Images({ offer }: OfferProps) {
  const texts = useTexts().farmer.market;
  const images = offer.images.filter(({ mediaType }) => isShowable(mediaType));
  if (images.length === 0) return null;
  return (
    <section>
      <h2>{texts.images}</h2>
      <ul class="plain screenshots">
        {images.map(({ path, sha256 }, index) => (
          <li key={path}>
            <img src={`/portal/media/${sha256}`} alt={texts.image(index + 1)} loading="lazy" />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Changes({ offer: { changes } }: OfferProps) {
  const texts = useTexts().farmer.market;
  if (changes === null) return null;
  const since = changes.sinceVendorVersion ?? `${texts.revision} ${changes.sinceRevision}`;
  const parts = changes.parts.map((part) => texts.parts[part]);
  return (
    <section>
      <h2>{texts.whatChanged}</h2>
      <p>
        {texts.since(since)} {(parts.length === 0 ? [texts.application] : parts).join(', ')}
      </p>
      {changes.addedDataAreaIds.length > 0 && (
        <DataAreas title={texts.pendingAreas} ids={changes.addedDataAreaIds} />
      )}
    </section>
  );
}

function Prices({ offer: { prices } }: OfferProps) {
  const texts = useTexts().farmer.market;
  const words = usePriceWords();
  return (
    <section>
      <h2>{texts.prices}</h2>
      {prices.length === 0 ? (
        <p class="quiet">{texts.noPrice}</p>
      ) : (
        <ul>
          {prices.map((price) => (
            <li key={words(price)}>{words(price)}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Entities({ offer: { entities } }: OfferProps) {
  const texts = useTexts().farmer.market;
  if (entities.length === 0) return null;
  return (
    <section>
      <h2>{texts.entities}</h2>
      <ul>
        {entities.map(({ name, intention, internalOnly }) => (
          <li key={name}>
            <strong>{name}</strong>: {intention}
            {internalOnly === true && ` (${texts.internal})`}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Dependencies({ offer: { dependencies } }: OfferProps) {
  const texts = useTexts().farmer.market;
  const { id } = useOrganization();
  if (dependencies.length === 0) return null;
  return (
    <section>
      <h2>{texts.dependencies}</h2>
      <ul>
        {dependencies.map(({ moduleId, name, installed }) => (
          <li key={moduleId}>
            {name === null ? (
              texts.unknownModule(moduleId)
            ) : (
              <a href={`/portal/${id}/market/${moduleId}`}>{name}</a>
            )}
            {installed && ` (${texts.installed})`}
          </li>
        ))}
      </ul>
    </section>
  );
}
