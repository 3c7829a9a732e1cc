import type { ComponentChildren } from 'preact';
import { useTexts } from '../texts/language.ts';
import { Dialog } from './dialog.tsx';
import { ProblemNote } from './problem-note.tsx';
import { useAction } from './use-action.ts';

interface FormDialogProps {
  readonly title: string;
  /** What the button that sends the form says. */
  readonly action: string;
  readonly isReady?: boolean;
  readonly onSubmit: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A form in a dialog: Enter sends it, Escape leaves it, and a refusal is told in it. */
export function FormDialog({ title, action, isReady = true, onSubmit, onClose, children }: FormDialogProps) {
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
          <button type="button" class="secondary outline" onClick={onClose}>
            {common.cancel}
          </button>
          <button type="submit" aria-busy={isBusy} disabled={isBusy || !isReady}>
            {action}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
