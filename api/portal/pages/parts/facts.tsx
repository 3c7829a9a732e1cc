import type { ComponentChildren } from 'preact';
import type { AlertPart, ModuleImport } from '../server/call-api.ts';
import { useFormats, useLanguage, useTexts } from '../texts/language.ts';
import { Section } from './page.tsx';

/** Names and values; a value that is null or empty is left out. */
export type FactList = readonly (readonly [name: string, value: ComponentChildren])[];

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

/** Numbers with their names, large and side by side. */
export function Figures({ of }: { readonly of: readonly (readonly [name: string, value: string])[] }) {
  return (
    <dl class="figures">
      {of.map(([name, value]) => (
        <div key={name} class="card">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
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
    <Section title={title}>
      <div class="cards">
        {cards.map(({ name, lang, facts }) => (
          <article key={name} class="card">
            <h3>{name}</h3>
            <Facts of={facts} lang={lang} />
          </article>
        ))}
      </div>
    </Section>
  );
}

/** Returns the word for a value that may be missing. */
export function useYesOrNo(): (value: boolean | null) => string | null {
  const { common } = useTexts();
  return (value) => (value === null ? null : value ? common.yes : common.no);
}

type Tone = 'good' | 'bad' | 'warn' | 'calm' | 'busy';

/** A short word about a state. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

const TONES: Readonly<Record<ModuleImport['status'], Tone>> = {
  queued: 'busy',
  running: 'busy',
  succeeded: 'good',
  rejected: 'warn',
  failed: 'bad',
  cancelled: 'calm',
};

/** How a decision of operators looks. */
export const DECISION_TONES: Readonly<Record<'upheld' | 'dismissed' | 'approved' | 'declined', Tone>> = {
  upheld: 'bad',
  dismissed: 'calm',
  approved: 'good',
  declined: 'bad',
};

/** The status of an import. */
export function ImportBadge({ status }: Pick<ModuleImport, 'status'>) {
  const { common } = useTexts();
  return <Badge tone={TONES[status]}>{common.importStatus[status]}</Badge>;
}

/** Returns a vendor's text in the reader's language, else in English. */
export function useLocalText(): (text: AlertPart['title']) => string {
  const language = useLanguage();
  return (text) => text[language] ?? text['en'] ?? Object.values(text)[0] ?? '';
}

/** A date in the reader's language and time zone. */
export function Day({ value }: { readonly value: string }) {
  return <time dateTime={value}>{useFormats().day(value)}</time>;
}

/** A date and time in the reader's language and time zone. */
export function Time({ value }: { readonly value: string }) {
  return <time dateTime={value}>{useFormats().time(value)}</time>;
}

/** How long ago a time was, in the reader's language. */
export function Ago({ value }: { readonly value: string }) {
  const { ago, time } = useFormats();
  return (
    <time dateTime={value} title={time(value)}>
      {ago(value)}
    </time>
  );
}
