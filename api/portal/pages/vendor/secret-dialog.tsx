import { CopyButton } from '../parts/copy-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import type { IssuedKey } from '../server/answers.ts';
import { useTexts } from '../texts/language.ts';

/** Shows a key, once. Escape does not close it: a press too many would lose the key. */
export function SecretDialog({
  issued,
  onClose,
}: {
  readonly issued: IssuedKey;
  readonly onClose: () => void;
}) {
  const texts = useTexts().vendor.apps;
  return (
    <Dialog title={texts.secretTitle} onClose={null}>
      <p>{issued.clientName}</p>
      <p class="note note-warn">{texts.secretWarning}</p>
      <label>
        {texts.secretLabel}
        <input
          class="secret"
          readOnly
          value={issued.clientSecret}
          onFocus={({ currentTarget }) => {
            currentTarget.select();
          }}
        />
      </label>
      <p>
        <CopyButton text={issued.clientSecret} />
      </p>
      <footer>
        <button type="button" onClick={onClose}>
          {texts.secretStored}
        </button>
      </footer>
    </Dialog>
  );
}
