import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

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
      // Browsers let a page refuse `cancel` only once between two interactions.
      onKeyDown={(event) => {
        if (onClose === null && event.key === 'Escape') event.preventDefault();
      }}
      // There are other ways than Escape, such as Android's gesture "back". The reference is null once it is not rendered.
      onClose={() => {
        if (onClose === null) dialog.current?.showModal();
      }}
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
