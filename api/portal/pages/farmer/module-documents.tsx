import { useState } from 'preact/hooks';
import { Day } from '../parts/facts.tsx';
import { Loaded } from '../parts/lists.tsx';
import { Markdown } from '../parts/vendor-content.tsx';
import { requestText, type Schemas } from '../server/call-api.ts';
import { useRead } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { documentTitle } from './document-title.ts';

/** The terms and privacy statements of a module. */
export function Documents({ offer: { terms, privacy } }: { readonly offer: Schemas['AvailableModule'] }) {
  const texts = useTexts().market;
  return (
    <>
      <DocumentList of={terms} kind={texts.terms} />
      <DocumentList of={privacy} kind={texts.privacy} />
    </>
  );
}

interface DocumentListProps {
  readonly of: readonly Schemas['OfferedDocument'][];
  readonly kind: string;
}

function DocumentList({ of, kind }: DocumentListProps) {
  return (
    <>
      {of.map((document, index) => (
        <ModuleDocument
          key={document.path}
          of={document}
          kind={kind}
          name={of.length === 1 ? kind : `${kind} ${index + 1}`}
        />
      ))}
    </>
  );
}

const SHOWN = new Set(['text/markdown', 'text/plain']);

/** The part of a text in which its title is. */
const START = 4_000;

interface DocumentProps {
  readonly of: Schemas['OfferedDocument'];
  readonly kind: string;
  /** Its name if it has no title. */
  readonly name: string;
}

/** A terms or privacy file: texts open on the page, other files are downloaded. */
function ModuleDocument({ of, kind, name }: DocumentProps) {
  const { common, market: texts } = useTexts();
  const [isOpen, setOpen] = useState(false);
  const file = of.path.slice(of.path.lastIndexOf('/') + 1);
  const address = `/portal/media/${of.sha256}`;
  const isText = SHOWN.has(of.mediaType);
  const start = useRead(`${address} title`, async () => (isText ? requestText(address, START) : ''));
  const title = documentTitle(start.value ?? '');
  const lang = of.languageId ?? undefined;
  const head = (
    <>
      {title === null || title === kind ? (
        name
      ) : (
        <>
          {kind}: <span lang={lang}>{title}</span>
        </>
      )}{' '}
      <span class="quiet">
        ({texts.asOf} <Day value={of.publishedAt} />)
      </span>
    </>
  );
  const format = file.slice(file.lastIndexOf('.') + 1).toUpperCase();
  if (!isText)
    return (
      <p>
        <a href={address} download={file}>
          {head} {format}
        </a>
      </p>
    );
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{head}</summary>
      {isOpen && <DocumentText address={address} lang={lang} />}
      <p>
        <a href={address} download={file}>
          {common.download}
        </a>
      </p>
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
