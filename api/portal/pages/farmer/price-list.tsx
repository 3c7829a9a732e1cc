import type { Schemas } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';
import { usePriceWords } from './market-words.ts';

/** The prices of a module in words. */
export function PriceList({ prices }: { readonly prices: readonly Schemas['Price'][] }) {
  const texts = useTexts().market;
  const words = usePriceWords();
  if (prices.length === 0) return <p class="quiet">{texts.noPrice}</p>;
  return (
    <ul>
      {prices.map((price) => (
        <li key={words(price)}>{words(price)}</li>
      ))}
    </ul>
  );
}
