import { useState } from 'preact/hooks';
import { useTexts } from '../texts/language.ts';

/** Puts a text into the clipboard, and says so. */
export function CopyButton({ text }: { readonly text: string }) {
  const { common } = useTexts();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <>
      <button type="button" class="outline" onClick={() => void copy()}>
        {common.copy}
      </button>
      <span role="status" class="quiet">
        {isCopied ? common.copied : ''}
      </span>
    </>
  );
}
