import { useState } from 'preact/hooks';
import { Loaded } from '../parts/lists.tsx';
import { Markdown } from '../parts/vendor-content.tsx';
import { requestText, type Schemas } from '../server/call-api.ts';
import { useRead } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';

/** The terms and privacy statements of a module. */
export function Documents({ offer: { terms, privacy } }: { readonly offer: Schemas['AvailableModule'] }) {
  const texts = useTexts().market;
  return (
    <>
      {terms.map((document) => (
        <ModuleDocument key={document.path} of={document} title={texts.terms} />
      ))}
      {privacy.map((document) => (
        <ModuleDocument key={document.path} of={document} title={texts.privacy} />
      ))}
    </>
  );
}

const SHOWN = new Set(['text/markdown', 'text/plain']);

/** A terms or privacy file: texts open on the page, other files are downloaded. */
function ModuleDocument({ of, title }: { readonly of: Schemas['ModuleDocument']; readonly title: string }) {
  const { market: texts } = useTexts();
  const [isOpen, setOpen] = useState(false);
  const name = of.path.slice(of.path.lastIndexOf('/') + 1);
  const address = `/portal/media/${of.sha256}`;
  const link = (
    <a href={address} download={name}>
      {texts.download}: {name}
    </a>
  );
  if (!SHOWN.has(of.mediaType)) return <p>{link}</p>;
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {title}: {name}
      </summary>
      {isOpen && <DocumentText address={address} lang={of.languageId ?? undefined} />}
      <p>{link}</p>
    </details>
  );
}

function DocumentText({ address, lang }: { readonly address: string; readonly lang: string | undefined }) {
  return (
    <div lang={lang}>
      <Loaded of={useRead(address, () => requestText(address))}>{(text) => <Markdown text={text} />}</Loaded>
    </div>
  );
}
