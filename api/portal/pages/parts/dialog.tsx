import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useTexts } from '../texts/language.ts';
import { ProblemNote, useAction } from './page.tsx';

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Called on Escape too; null: only its content closes it. */
  readonly onClose: (() => void) | null;
}

/** A modal dialog, open while it is rendered. The browser keeps the focus inside, and restores it afterwards. */
export function Dialog({ title, children, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => {
      shown?.close();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
    >
      <article>
        <h2 id={titleId}>{title}</h2>
        {children}
      </article>
    </dialog>
  );
}

interface FormDialogProps {
  readonly title: string;
  /** Text of the button that submits the form. */
  readonly action: string;
  /** For what cannot be undone: Cancel has the focus. */
  readonly isDangerous?: boolean;
  readonly isReady?: boolean;
  readonly onSubmit: () => Promise<unknown>;
  /** Reads what it changed again, before the dialog closes. */
  readonly reload: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A form in a dialog: Enter submits it, Escape closes it, and it shows why a call failed. */
export function FormDialog(props: FormDialogProps) {
  const { title, action, isDangerous = false, isReady = true, onSubmit, reload, onClose, children } = props;
  const { common } = useTexts();
  const { isBusy, error, run } = useAction();
  const submit = async () => {
    await onSubmit();
    await reload();
    onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(submit);
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
