import { nameIn, useCatalogue } from '../parts/catalogue.ts';
import type { Schemas } from '../server/call-api.ts';
import { useFormats, useLanguage, useTexts } from '../texts/language.ts';

/** A data area in words. */
interface AreaWords {
  readonly name: string;
  readonly description: string;
}

/** Returns the words for a data area in the reader's language, else those of the catalogue. */
export function useAreaWords(): (id: string) => AreaWords {
  const { areas } = useTexts().market;
  const catalogue = useCatalogue('dataAreas');
  return (id) => {
    const entry = catalogue.get(id);
    const words = areas[entry?.key ?? ''];
    return {
      name: words?.[0] ?? nameIn(catalogue, id, ({ value }) => value),
      description: words?.[1] ?? entry?.description ?? '',
    };
  };
}

/** Returns the vendor's reason for a data area of an offer, with who says it; null if there is none. */
export function useAreaReasons({ dataAreas }: Schemas['AvailableModule']): (id: string) => string | null {
  const texts = useTexts().market;
  const reasons = new Map(dataAreas.map(({ id, reason }) => [id, reason]));
  return (id) => {
    const reason = reasons.get(id) ?? null;
    return reason === null ? null : texts.reason(reason);
  };
}

/** Returns the words for a price: how long the module is free, amount and cycle, and where it applies. */
export function usePriceWords(isInstalled = false): (price: Schemas['Price']) => string {
  const texts = useTexts().market;
  const language = useLanguage();
  const cycles = useCatalogue('paymentCycles');
  const regions = useCatalogue('regions');
  const cycleWords: Readonly<Record<string, string>> = texts.cycles;
  return ({ price, currency, paymentCycleId, paymentCycle, regionId, region, trialLength }) => {
    const cycleIn = nameIn(cycles, paymentCycleId, ({ key }) => cycleWords[key] ?? paymentCycle ?? '');
    // An ID that the catalogue does not know says nothing to people.
    const cycle = cycleIn === paymentCycleId ? '' : cycleIn;
    const cost = `${formatAmount(language, price, currency)} ${cycle}`.trim();
    const where =
      regionId === null
        ? texts.everywhere
        : nameIn(regions, regionId, ({ key, value }) => texts.regions[key] ?? region ?? value);
    const days = trialLength ?? 0;
    const trial = isInstalled ? texts.costAfterTrial : texts.trialThenCost;
    const words = price === 0 ? texts.free : days === 0 ? cost : trial(days, cost);
    return [words, where].join(' · ');
  };
}

/** Returns the words for a number of installations. */
export function useInstallationWords(): (installations: number) => string {
  const texts = useTexts().market;
  const { number } = useFormats();
  return (installations) => texts.installations(number(installations), installations === 1);
}

/** As many decimal places as a price can have: the farmer agrees to it, so it is not rounded. */
const EXACT = { maximumFractionDigits: 15 };

function formatAmount(language: string, price: number, currency: string | null): string {
  if (currency === null || !/^[A-Z]{3}$/.test(currency))
    return `${new Intl.NumberFormat(language, EXACT).format(price)} ${currency ?? ''}`.trim();
  return new Intl.NumberFormat(language, { style: 'currency', currency, ...EXACT }).format(price);
}
