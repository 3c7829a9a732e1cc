import { useAction } from './use-action.ts';
import { Dialog } from './dialog.tsx';
import { ProblemNote } from './problem-note.tsx';
import { useTexts } from '../texts/language.ts';

interface ConfirmProps {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks before something that cannot be taken back. The way out has the focus. */
export function Confirm({ title, text, action, onConfirm, onClose }: ConfirmProps) {
  const { common } = useTexts();
  const { isBusy, error, run } = useAction(onConfirm);
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <ProblemNote error={error} />
      <footer>
        <button type="button" class="secondary outline" onClick={onClose} autofocus>
          {common.cancel}
        </button>
        <button type="button" class="danger" aria-busy={isBusy} disabled={isBusy} onClick={() => void run()}>
          {action}
        </button>
      </footer>
    </Dialog>
  );
}
