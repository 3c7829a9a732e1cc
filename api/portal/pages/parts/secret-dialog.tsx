import { useState } from 'preact/hooks';
import { useTexts } from '../texts/language.ts';
import { Dialog } from './dialog.tsx';

interface SecretDialogProps {
  readonly title: string;
  /** Whose secret it is; null: nobody's in particular. */
  readonly about: string | null;
  readonly warning: string;
  readonly label: string;
  readonly value: string;
  /** Text of the button that closes the dialog. */
  readonly close: string;
  readonly onClose: () => void;
}

/** Shows a secret, once. Escape does not close it: pressed by accident, it would lose the secret. */
export function SecretDialog({ title, about, warning, label, value, close, onClose }: SecretDialogProps) {
  const { common } = useTexts();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
  };
  return (
    <Dialog title={title} onClose={null}>
      {about !== null && <p>{about}</p>}
      <p class="note warn">{warning}</p>
      <label>
        {label}
        <input
          class="secret"
          readOnly
          value={value}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
      </label>
      <p>
        <button type="button" class="outline" onClick={() => void copy()}>
          {common.copy}
        </button>
        <span role="status" class="quiet">
          {isCopied ? common.copied : ''}
        </span>
      </p>
      <footer>
        <button type="button" onClick={onClose}>
          {close}
        </button>
      </footer>
    </Dialog>
  );
}
