import type { ComponentChildren } from 'preact';
import { useTexts } from '../texts/language.ts';

/** Names and values; a value that is null or empty is left out. */
type FactList = readonly (readonly [name: string, value: ComponentChildren])[];

/** Names and values, one below the other. */
export function Facts({ of, lang }: { readonly of: FactList; readonly lang?: string | undefined }) {
  return (
    <dl class="facts" lang={lang}>
      {of.map(
        ([name, value]) =>
          value !== null &&
          value !== '' && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

interface FactCardsProps {
  readonly title: string;
  readonly cards: readonly {
    readonly name: string;
    readonly lang?: string | undefined;
    readonly facts: FactList;
  }[];
}

/** A section with a card of facts for each item; nothing if there are none. */
export function FactCards({ title, cards }: FactCardsProps) {
  if (cards.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <div class="grid-cards">
        {cards.map(({ name, lang, facts }) => (
          <article key={name} class="card">
            <h3>{name}</h3>
            <Facts of={facts} lang={lang} />
          </article>
        ))}
      </div>
    </section>
  );
}

/** Returns the word for a value that may be missing. */
export function useYesOrNo(): (value: boolean | null) => string | null {
  const { common } = useTexts();
  return (value) => (value === null ? null : value ? common.yes : common.no);
}
