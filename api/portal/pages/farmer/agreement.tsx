import { Checkbox } from '../parts/fields.tsx';
import type { Schemas } from '../server/call-api.ts';
import { useFormats, useTexts } from '../texts/language.ts';
import { useAreaReasons, useAreaWords } from './market-words.ts';
import { Documents } from './module-documents.tsx';
import { PriceList } from './price-list.tsx';
import { Verification } from './vendor.tsx';

type Offer = Schemas['AvailableModule'];

/** How the offer has changed since the farmer read it, and the data areas that were chosen then. */
export interface Interruption {
  readonly changes: Schemas['RevisionChanges'] | undefined;
  readonly areas: readonly string[];
}

interface AgreementProps extends AreaChoiceProps {
  /** Null: the module is not installed. */
  readonly installed: Schemas['Installation'] | null;
  readonly interruption: Interruption | null;
}

/** All that the farmer agrees to, the cost first, and what of it has changed since the farmer agreed before. */
export function Agreement({ offer, installed, interruption, ...choice }: AgreementProps) {
  const texts = useTexts().market;
  return (
    <>
      {interruption !== null && <ChangedOffer changes={interruption.changes} />}
      <PriceList prices={offer.prices} isInstalled={installed !== null} />
      <p>
        {texts.by(offer.vendorName)} <Verification of={offer} />
      </p>
      {installed !== null && <SinceAgreed offer={offer} installed={installed} />}
      <AreaChoice {...choice} offer={offer} />
      <Documents offer={offer} />
    </>
  );
}

/** What has changed, which screen readers read at once. */
function ChangedOffer({ changes }: Pick<Interruption, 'changes'>) {
  const texts = useTexts().market;
  const words = useAreaWords();
  const { parts = [], addedDataAreaIds = [] } = changes ?? {};
  const added = addedDataAreaIds.map((id) => `+ ${words(id).name}`).join(', ');
  const nameOf = (part: (typeof parts)[number]) =>
    part === 'dataAreas' && added !== '' ? `${texts.parts[part]} (${added})` : texts.parts[part];
  const names = parts.length === 0 ? [texts.application] : parts.map(nameOf);
  return (
    <p class="note warn" role="alert">
      {texts.offerChanged(names.join(', '))}
    </p>
  );
}

interface SinceAgreedProps {
  readonly offer: Offer;
  readonly installed: Schemas['Installation'];
}

/** How the offer differs from the one that the farmer agreed to; nothing if it does not. */
function SinceAgreed({ offer, installed }: SinceAgreedProps) {
  const texts = useTexts().market;
  const { day } = useFormats();
  const words = useAreaWords();
  const { pendingConsent, acceptedDataAreaIds, revision, updatedAt } = installed;
  const added = pendingConsent?.dataAreaIds ?? [];
  const removed = acceptedDataAreaIds.filter((id) => !offer.dataAreaIds.includes(id));
  // If the revision that the farmer agreed to is not kept, the offer is compared with another one.
  const parts = offer.changes?.sinceRevision === revision ? offer.changes.parts : [];
  const namesOf = (ids: readonly string[]) => ids.map((id) => words(id).name).join(', ');
  const lines = [
    ...(parts.includes('prices') ? [texts.changed.price] : []),
    ...(added.length === 0 ? [] : [texts.changed.added(namesOf(added))]),
    ...(removed.length === 0 ? [] : [texts.changed.removed(namesOf(removed))]),
    ...((pendingConsent?.terms ?? []).length === 0 ? [] : [texts.changed.terms]),
  ];
  if (lines.length === 0) return null;
  return (
    <section class="note warn" aria-label={texts.changed.title(day(updatedAt))}>
      <h3>{texts.changed.title(day(updatedAt))}</h3>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
}

interface AreaChoiceProps {
  readonly offer: Offer;
  readonly chosen: readonly string[];
  readonly onChoose: (ids: string[]) => void;
}

function AreaChoice({ offer, chosen, onChoose }: AreaChoiceProps) {
  const { dataAreaIds: ids } = offer;
  const texts = useTexts().market;
  const reasonOf = useAreaReasons(offer);
  const words = useAreaWords();
  return (
    <fieldset>
      <legend>{ids.length === 0 ? texts.nothing : texts.installText}</legend>
      {ids.map((id) => (
        <Checkbox
          key={id}
          hint={[words(id).description, reasonOf(id) ?? ''].filter((each) => each !== '').join('. ')}
          checked={chosen.includes(id)}
          onChange={(isChecked) =>
            onChoose(isChecked ? [...chosen, id] : chosen.filter((each) => each !== id))
          }
        >
          {words(id).name}
        </Checkbox>
      ))}
    </fieldset>
  );
}
