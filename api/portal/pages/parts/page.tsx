import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useArrival } from '../navigation.ts';
import { CallError } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

interface PageHeadProps {
  readonly title: string;
  /** The tab that is shown, if the page has tabs. */
  readonly tab?: string | undefined;
  readonly lead?: string | undefined;
  readonly children?: ComponentChildren;
}

/** The head of a page: its title, which is also the document's, and its actions. It gets the focus on arrival. */
export function PageHead({ title, tab, lead, children }: PageHeadProps) {
  const { common } = useTexts();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const names = [tab, title, common.portal].filter((each) => each !== undefined);
    document.title = names.join(' – ');
  }, [title, tab, common]);
  useArrival(heading);
  return (
    <header class="page-head">
      <div>
        <h1 ref={heading} tabIndex={-1}>
          {title}
          {tab !== undefined && <span class="unseen">: {tab}</span>}
        </h1>
        {lead !== undefined && <p class="lead">{lead}</p>}
      </div>
      {children !== undefined && <div class="page-actions">{children}</div>}
    </header>
  );
}

interface SectionProps {
  readonly title: string;
  /** The buttons or inputs beside the title. */
  readonly actions?: ComponentChildren;
  readonly lead?: string;
  /** Whether assistive technology lists it among the parts of the page. */
  readonly isRegion?: boolean;
  readonly children: ComponentChildren;
}

/** A part of a page, with a title. */
export function Section({ title, actions = false, lead, isRegion = false, children }: SectionProps) {
  return (
    <section aria-label={isRegion ? title : undefined}>
      {actions === false ? (
        <h2>{title}</h2>
      ) : (
        <div class="section-head">
          <h2>{title}</h2>
          {actions}
        </div>
      )}
      {lead !== undefined && <p class="lead">{lead}</p>}
      {children}
    </section>
  );
}

interface ButtonProps {
  readonly text: string;
  /** What it acts on, for screen readers, where several buttons have the same text. */
  readonly about?: string | undefined;
  readonly class?: 'outline' | 'outline small' | 'secondary outline' | 'secondary outline small' | 'small';
  readonly isBusy?: boolean;
  readonly disabled?: boolean;
  readonly onClick: () => unknown;
}

/** A button that is not a form's. */
export function Button({ text, about, isBusy, onClick, ...button }: ButtonProps) {
  return (
    <button
      type="button"
      aria-label={about === undefined ? undefined : `${text}: ${about}`}
      aria-busy={isBusy}
      onClick={() => void onClick()}
      {...button}
    >
      {text}
    </button>
  );
}

/** A button of one item of a list. */
export function RowButton(props: Omit<ButtonProps, 'class'>) {
  return <Button {...props} class="secondary outline small" />;
}

/** What a button does. */
interface Action<Argument> {
  readonly isBusy: boolean;
  readonly error: unknown;
  /** Never rejects: a failure is in `error`. */
  run(argument: Argument): Promise<void>;
}

/** Runs one call at a time, and keeps its error for the page to show. */
export function useAction<Argument = void>(act: (argument: Argument) => Promise<unknown>): Action<Argument> {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  return {
    isBusy,
    error,
    async run(argument) {
      if (isBusy) return;
      setBusy(true);
      setError(null);
      try {
        await act(argument);
      } catch (caught) {
        setError(caught);
      } finally {
        setBusy(false);
      }
    },
  };
}

/** Why a call failed, announced at once; nothing if it did not. */
export function ProblemNote({ error }: { readonly error: unknown }) {
  const { common } = useTexts();
  if (error === null || error === undefined) return null;
  const known = error instanceof CallError && error.status !== 0 ? error : null;
  return (
    <div class="note bad" role="alert">
      <p>{known?.message ?? common.unreachable}</p>
      {known !== null && known.issues.length > 0 && (
        <ul>
          {known.issues.map(({ pointer, detail }) => (
            <li key={`${pointer ?? ''} ${detail}`}>
              {pointer !== undefined && <code>{pointer}</code>} {detail}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
