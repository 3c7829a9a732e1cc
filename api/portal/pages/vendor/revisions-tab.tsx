import { useState } from 'preact/hooks';
import { Badge } from '../parts/badge.tsx';
import { useCatalogue } from '../parts/catalogue.ts';
import { Loaded, More } from '../parts/loaded.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import type { ModuleRevision, RevisionSummary } from '../server/answers.ts';
import { useList, useResource } from '../server/use-resource.ts';
import { formatBytes } from '../texts/formats.ts';
import { useLanguage, useTexts } from '../texts/language.ts';
import { revisionChanges } from './revision-changes.ts';
import type { Change } from './revision-changes.ts';

/** A module's revisions, and what changed between two of them. `api` is the module's address. */
export function RevisionsTab({ api }: { readonly api: string }) {
  const { vendor } = useTexts();
  const language = useLanguage();
  const list = useList<RevisionSummary>(`${api}/revisions`);
  const texts = vendor.revisions;
  return (
    <Loaded of={list}>
      {(revisions) => (
        <>
          <Table
            label={vendor.tabs.revisions}
            columns={[vendor.revision, texts.made, texts.files, vendor.overview.size]}
          >
            {revisions.map(({ revision, createdAt, files, sizeBytes }, index) => (
              <tr key={revision}>
                <td>
                  {revision} {index === 0 && <Badge tone="good">{texts.current}</Badge>}
                </td>
                <td>
                  <Time value={createdAt} />
                </td>
                <td>{files}</td>
                <td>{formatBytes(language, sizeBytes)}</td>
              </tr>
            ))}
          </Table>
          <More of={list} />
          {revisions.length < 2 ? (
            <p class="empty">{texts.only}</p>
          ) : (
            <Comparison api={api} revisions={revisions.map(({ revision }) => revision)} />
          )}
        </>
      )}
    </Loaded>
  );
}

function Comparison({ api, revisions }: { readonly api: string; readonly revisions: readonly number[] }) {
  const texts = useTexts().vendor.revisions;
  const [from, setFrom] = useState(revisions[1] ?? 1);
  const [to, setTo] = useState(revisions[0] ?? 1);
  const before = useResource<ModuleRevision>(`${api}?revision=${from}`);
  const after = useResource<ModuleRevision>(`${api}?revision=${to}`);
  return (
    <section>
      <h2>{texts.compare}</h2>
      <div class="pair">
        <RevisionChoice label={texts.from} revisions={revisions} value={from} onChange={setFrom} />
        <RevisionChoice label={texts.to} revisions={revisions} value={to} onChange={setTo} />
      </div>
      <Loaded of={before}>
        {(old) => <Loaded of={after}>{(now) => <Changes before={old} after={now} />}</Loaded>}
      </Loaded>
    </section>
  );
}

interface RevisionChoiceProps {
  readonly label: string;
  readonly revisions: readonly number[];
  readonly value: number;
  readonly onChange: (revision: number) => void;
}

function RevisionChoice({ label, revisions, value, onChange }: RevisionChoiceProps) {
  return (
    <label>
      {label}
      <select
        value={value}
        onChange={({ currentTarget }) => {
          onChange(Number(currentTarget.value));
        }}
      >
        {revisions.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}

function Changes({ before, after }: { readonly before: ModuleRevision; readonly after: ModuleRevision }) {
  const { vendor } = useTexts();
  const languages = useCatalogue('languages');
  const { descriptor, files } = revisionChanges(before, after);
  if (descriptor.length + files.length === 0) return <p class="empty">{vendor.revisions.same}</p>;
  /** A language's ID says nothing to people. */
  const readable = (place: string) =>
    place.replace(/\[([0-9a-f-]{36})\]/, (whole, id: string) => `[${languages.get(id)?.key ?? whole}]`);
  return (
    <>
      {descriptor.length > 0 && (
        <>
          <h3>{vendor.overview.descriptor}</h3>
          <ul class="changes">
            {descriptor.map((each) => (
              <ChangeItem key={each.place} change={{ ...each, place: readable(each.place) }} isTold />
            ))}
          </ul>
        </>
      )}
      {files.length > 0 && (
        <>
          <h3>{vendor.overview.files}</h3>
          <ul class="changes">
            {files.map((each) => (
              <ChangeItem key={each.place} change={each} isTold={false} />
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** `isTold`: with the values, which of files are only hashes. */
function ChangeItem({ change, isTold }: { readonly change: Change; readonly isTold: boolean }) {
  const texts = useTexts().vendor.revisions;
  const { place, before, after } = change;
  const kind = before === null ? 'added' : after === null ? 'removed' : 'changed';
  return (
    <li>
      <Badge tone={kind === 'added' ? 'good' : kind === 'removed' ? 'bad' : 'busy'}>{texts[kind]}</Badge>{' '}
      <code>{place}</code>
      {isTold && before !== null && <del aria-label={`${texts.before}: ${before}`}>{before}</del>}
      {isTold && after !== null && <ins aria-label={`${texts.after}: ${after}`}>{after}</ins>}
    </li>
  );
}
