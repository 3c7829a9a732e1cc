import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { Badge } from '../parts/badge.tsx';
import { useCatalogue } from '../parts/catalogue.ts';
import { Select } from '../parts/fields.tsx';
import { Loaded, LoadedList } from '../parts/loaded.tsx';
import { Time } from '../parts/localized.tsx';
import { Table } from '../parts/table.tsx';
import type { Schemas } from '../server/api-types.ts';
import { useList, useResource } from '../server/use-resource.ts';
import { useFormats } from '../texts/formats.ts';
import { useTexts } from '../texts/language.ts';
import { revisionChanges, type Change } from './revision-changes.ts';

interface RevisionsTabProps {
  readonly moduleId: string;
  /** Null: none is released to everyone. */
  readonly current: number | null;
}

/** A module's revisions, and what changed between two of them. */
export function RevisionsTab({ moduleId, current }: RevisionsTabProps) {
  const { vendor } = useTexts();
  const { id } = useOrganization();
  const list = useList(`/${id}/modules/${moduleId}/revisions`);
  const revisions = list.value?.map(({ revision }) => revision) ?? [];
  return (
    <>
      <LoadedList of={list} empty="">
        {(items) => <RevisionTable revisions={items} current={current} />}
      </LoadedList>
      {revisions.length === 1 && <p class="empty">{vendor.revisions.only}</p>}
      {revisions.length > 1 && <Comparison moduleId={moduleId} revisions={revisions} />}
    </>
  );
}

interface RevisionTableProps extends Pick<RevisionsTabProps, 'current'> {
  readonly revisions: readonly Schemas['Revision'][];
}

function RevisionTable({ revisions, current }: RevisionTableProps) {
  const { vendor } = useTexts();
  const format = useFormats();
  const texts = vendor.revisions;
  return (
    <Table
      label={vendor.tabs.revisions}
      columns={[vendor.revision, texts.created, texts.files, vendor.overview.size]}
    >
      {revisions.map(({ revision, createdAt, files, sizeBytes }) => (
        <tr key={revision}>
          <td>
            {revision} {revision === current && <Badge tone="good">{texts.current}</Badge>}
          </td>
          <td>
            <Time value={createdAt} />
          </td>
          <td>{files}</td>
          <td>{format.bytes(sizeBytes)}</td>
        </tr>
      ))}
    </Table>
  );
}

interface ComparisonProps {
  readonly moduleId: string;
  /** The newest first. */
  readonly revisions: readonly number[];
}

function Comparison({ moduleId, revisions }: ComparisonProps) {
  const texts = useTexts().vendor.revisions;
  const { id } = useOrganization();
  const [from, setFrom] = useState(String(revisions[1]));
  const [to, setTo] = useState(String(revisions[0]));
  const before = useResource(`/${id}/modules/${moduleId}?revision=${from}`);
  const after = useResource(`/${id}/modules/${moduleId}?revision=${to}`);
  const options = revisions.map((each) => [String(each), String(each)] as const);
  return (
    <section>
      <h2>{texts.compare}</h2>
      <div class="pair">
        <Select label={texts.from} options={options} value={from} onChange={setFrom} />
        <Select label={texts.to} options={options} value={to} onChange={setTo} />
      </div>
      <Loaded of={before}>
        {(old) => <Loaded of={after}>{(now) => <Changes before={old} after={now} />}</Loaded>}
      </Loaded>
    </section>
  );
}

interface ChangesProps {
  readonly before: Schemas['Module'];
  readonly after: Schemas['Module'];
}

function Changes({ before, after }: ChangesProps) {
  const { vendor } = useTexts();
  const languages = useCatalogue('languages');
  const { descriptor, files } = revisionChanges(before, after);
  /** The ID of a language means nothing to people. */
  const readable = descriptor.map(({ location, ...values }) => ({
    ...values,
    location: location.replace(
      /\[([0-9a-f-]{36})\]/,
      (whole, id: string) => `[${languages.get(id)?.key ?? whole}]`,
    ),
  }));
  if (descriptor.length + files.length === 0) return <p class="empty">{vendor.revisions.same}</p>;
  return (
    <>
      <ChangeList title={vendor.overview.descriptor} changes={readable} hasValues />
      <ChangeList title={vendor.overview.files} changes={files} />
    </>
  );
}

interface ChangeListProps {
  readonly title: string;
  readonly changes: readonly Change[];
  /** Whether to show the values, which are only hashes if the changes are of files. */
  readonly hasValues?: boolean;
}

function ChangeList({ title, changes, hasValues = false }: ChangeListProps) {
  const texts = useTexts().vendor.revisions;
  if (changes.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="plain lines changes">
        {changes.map(({ location, before, after }) => {
          const kind = before === null ? 'added' : after === null ? 'removed' : 'changed';
          return (
            <li key={location}>
              <Badge tone={TONES[kind]}>{texts[kind]}</Badge> <code>{location}</code>
              {hasValues && before !== null && <del aria-label={`${texts.before}: ${before}`}>{before}</del>}
              {hasValues && after !== null && <ins aria-label={`${texts.after}: ${after}`}>{after}</ins>}
            </li>
          );
        })}
      </ul>
    </>
  );
}

const TONES = { added: 'good', removed: 'bad', changed: 'busy' } as const;
