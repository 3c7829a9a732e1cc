import type { Schemas } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';
import { usePriceWords } from './market-words.ts';

interface PriceListProps {
  readonly prices: readonly Schemas['Price'][];
  /** Whether the module is installed already: its trial does not begin anew. */
  readonly isInstalled?: boolean;
}

/** What a module costs. Of several prices nobody here knows which one applies: all are listed. */
export function PriceList({ prices, isInstalled = false }: PriceListProps) {
  const texts = useTexts().market;
  const words = usePriceWords(isInstalled);
  const all = [...new Set(prices.map(words))];
  if (all.length < 2) return <p class="cost">{all[0] ?? texts.noPrice}</p>;
  return (
    <>
      <p class="cost">{texts.severalPrices}</p>
      <ul>
        {all.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
    </>
  );
}
