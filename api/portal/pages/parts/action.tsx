import { useState } from 'preact/hooks';
import { CallError } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

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
