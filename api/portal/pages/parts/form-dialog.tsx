import type { ComponentChildren } from 'preact';
import { useTexts } from '../texts/language.ts';
import { Dialog } from './dialog.tsx';
import { ProblemNote } from './problem-note.tsx';
import { useAction } from './use-action.ts';

interface FormDialogProps {
  readonly title: string;
  /** Text of the button that submits the form. */
  readonly action: string;
  /** For what cannot be undone: Cancel has the focus. */
  readonly isDangerous?: boolean;
  readonly isReady?: boolean;
  readonly onSubmit: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A form in a dialog: Enter submits it, Escape closes it, and it shows why a call failed. */
export function FormDialog({
  title,
  action,
  isDangerous = false,
  isReady = true,
  onSubmit,
  onClose,
  children,
}: FormDialogProps) {
  const { common } = useTexts();
  const { isBusy, error, run } = useAction(onSubmit);
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        {children}
        <ProblemNote error={error} />
        <footer>
          <button type="button" class="secondary outline" onClick={onClose} autofocus={isDangerous}>
            {common.cancel}
          </button>
          <button
            type="submit"
            class={isDangerous ? 'danger' : undefined}
            aria-busy={isBusy}
            disabled={isBusy || !isReady}
          >
            {action}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
