import { useCatalogue, useEntryName } from '../parts/catalogue.ts';
import { Badge, Day } from '../parts/facts.tsx';
import { Logo } from '../parts/vendor-content.tsx';
import type { Schemas } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';
import { ApplicationLink } from './application-page.tsx';
import { OfferActions } from './install-dialogs.tsx';
import { useAreaWords, useInstallationWords, usePriceWords } from './market-words.ts';
import { MarketLink, VendorLink } from './vendor.tsx';

interface MarketCardProps {
  readonly module: Schemas['AvailableModuleSummary'];
  /** Null: not installed. */
  readonly installation: Schemas['Installation'] | null;
  /** Reads the module and the installation again. */
  readonly reload: () => Promise<unknown>;
}

/** A module that a farmer can install or has installed. */
export function MarketCard({ module, installation, reload }: MarketCardProps) {
  const texts = useTexts().market;
  const priceWords = usePriceWords(module.installed);
  const nameOf = useEntryName();
  const category = useCatalogue('categories').get(module.categoryId ?? '');
  const [price] = module.prices;
  const installationWords = useInstallationWords();
  return (
    <li class="card">
      <div class="row card-head">
        <Logo name={module.name} logos={module.logos} />
        <div>
          <h2>
            <MarketLink to={`/${module.id}`}>{module.name}</MarketLink>
          </h2>
          <p class="quiet">
            <VendorLink of={module} />
            {category !== undefined && ` · ${nameOf(category)}`}{' '}
            {module.installed && <Badge tone="good">{texts.installed}</Badge>}
          </p>
        </div>
      </div>
      {module.shortDescription !== null && <p>{module.shortDescription}</p>}
      {price !== undefined && <p class="quiet">{priceWords(price)}</p>}
      {module.releasedAt !== null && (
        <p class="quiet">
          {texts.released} <Day value={module.releasedAt} />
          {module.installations > 0 && ` · ${installationWords(module.installations)}`}
        </p>
      )}
      <DataAreas
        title={installation === null ? texts.requests : texts.reads}
        ids={installation?.acceptedDataAreaIds ?? module.dataAreaIds}
      />
      <UpdateNote {...{ module, installation }} />
      <PendingNote installation={installation} />
      <ApplicationLink installation={installation} name={module.name} />
      <div class="row card-foot">
        <OfferActions canInstall={!module.installed} {...{ module, installation, reload }} />
      </div>
    </li>
  );
}

/** Leads to the vendor's notes on a version that came after the farmer agreed, and needed no other consent. */
function UpdateNote({ module, installation }: Pick<MarketCardProps, 'module' | 'installation'>) {
  const texts = useTexts().market;
  const isUpdated = installation !== null && module.revision > installation.revision;
  if (!isUpdated || installation.pendingConsent !== null || module.releasedAt === null) return null;
  return (
    <p>
      {texts.updated} <Day value={module.releasedAt} />
      {': '}
      <MarketLink to={`/${module.id}`}>{texts.whatIsNew(module.name)}</MarketLink>
    </p>
  );
}

interface DataAreasProps {
  readonly title: string;
  readonly ids: readonly string[];
  readonly reasonOf?: (id: string) => string | null;
}

/** Data areas in words, under a title. */
export function DataAreas({ title, ids, reasonOf = () => null }: DataAreasProps) {
  const texts = useTexts().market;
  const words = useAreaWords();
  if (ids.length === 0) return <p class="quiet">{texts.nothing}</p>;
  return (
    <div class="areas">
      <p class="quiet">{title}</p>
      <ul class="plain">
        {ids.map((id) => (
          <li key={id}>
            <strong>{words(id).name}</strong>
            <span class="quiet">{words(id).description}</span>
            <span>{reasonOf(id)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The pending consent of the farmer, if any. */
export function PendingNote({ installation }: Pick<MarketCardProps, 'installation'>) {
  const texts = useTexts().market;
  const words = useAreaWords();
  const pending = installation?.pendingConsent ?? null;
  if (pending === null) return null;
  const names = pending.dataAreaIds.map((id) => words(id).name).join(', ');
  return (
    <p class="note warn">
      {texts.pending} {names !== '' && `${texts.pendingAreas} ${names}. `}
      {pending.terms.length > 0 && texts.pendingTerms}
    </p>
  );
}
