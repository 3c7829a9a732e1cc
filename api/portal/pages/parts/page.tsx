import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { SessionOrganization } from '../../session-answer.ts';
import { useArrival } from '../navigation.ts';
import { CallError } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

/** The organization whose page is shown. */
export const OrganizationContext = createContext<SessionOrganization | null>(null);

/** Returns the organization whose page is shown. */
export function useOrganization(): SessionOrganization {
  const organization = useContext(OrganizationContext);
  if (organization === null) throw new Error('this page belongs to no organization');
  return organization;
}

const PHONE = '(max-width: 40rem)';

/** Returns whether the page is as narrow as on a phone. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(PHONE).matches);
  useEffect(() => {
    const query = matchMedia(PHONE);
    const read = () => setNarrow(query.matches);
    query.addEventListener('change', read);
    return () => query.removeEventListener('change', read);
  }, []);
  return isNarrow;
}

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
    <header class="row apart page-head">
      <div>
        <h1 ref={heading} tabIndex={-1}>
          {title}
          {tab !== undefined && <span class="unseen">: {tab}</span>}
        </h1>
        {lead !== undefined && <p class="lead">{lead}</p>}
      </div>
      {children !== undefined && <div class="row">{children}</div>}
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
  /** How many things in it wait for the reader. */
  readonly count?: string;
  readonly children: ComponentChildren;
}

/** A part of a page, with a title. */
export function Section({ title, actions = false, lead, isRegion = false, count, children }: SectionProps) {
  const heading = (
    <h2>
      {title}
      {count !== undefined && (
        <>
          {' '}
          <span class="badge warn">{count}</span>
        </>
      )}
    </h2>
  );
  return (
    <section aria-label={isRegion ? title : undefined}>
      {actions === false ? (
        heading
      ) : (
        <div class="row apart section-head">
          {heading}
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
  /** Its target, for screen readers, where several buttons have the same text. */
  readonly about?: string | undefined;
  readonly class?: 'outline' | 'outline small' | 'secondary outline' | 'secondary outline small' | 'small';
  /** What is said once it has succeeded. */
  readonly done?: string;
  readonly onClick: () => unknown;
}

/** A button that is not a form's: it is busy while its call runs, and shows why the call failed. */
export function Button({ text, about, class: kind, done, onClick }: ButtonProps) {
  const { isBusy, isDone, error, run } = useAction();
  return (
    <>
      <ProblemNote error={error} />
      <button
        type="button"
        class={kind}
        aria-label={about === undefined ? undefined : `${text}: ${about}`}
        aria-busy={isBusy}
        onClick={() => void run(onClick)}
      >
        {text}
      </button>
      {done !== undefined && (
        <span role="status" class="quiet">
          {isDone ? done : ''}
        </span>
      )}
    </>
  );
}

/** A button of one item of a list. */
export function RowButton(props: Omit<ButtonProps, 'class'>) {
  return <Button {...props} class="secondary outline small" />;
}

interface DownloadLinkProps extends Pick<ButtonProps, 'text' | 'about'> {
  readonly class: NonNullable<ButtonProps['class']>;
  /** An address of the API; its answer names the file. */
  readonly address: string;
}

/** Saves an answer of the API as a file, however long: the page never has it in memory. */
export function DownloadLink({ text, about, class: kind, address }: DownloadLinkProps) {
  return (
    <a
      role="button"
      class={kind}
      href={`/portal/api${address}`}
      aria-label={about === undefined ? undefined : `${text}: ${about}`}
      download
    >
      {text}
    </a>
  );
}

/** Returns what runs one call at a time, never rejects, and keeps the call's error for the page to show. */
export function useAction() {
  const [at, setAt] = useState<'idle' | 'busy' | 'done'>('idle');
  const [error, setError] = useState<unknown>(null);
  const run = async (act: () => unknown) => {
    if (at === 'busy') return;
    setAt('busy');
    setError(null);
    try {
      await act();
      setAt('done');
    } catch (caught) {
      setError(caught);
      setAt('idle');
    }
  };
  return { isBusy: at === 'busy', isDone: at === 'done', error, run };
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
