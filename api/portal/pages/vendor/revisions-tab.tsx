import { useState } from 'preact/hooks';
import { useCatalogue } from '../parts/catalogue.ts';
import { Badge, Time } from '../parts/facts.tsx';
import { Select } from '../parts/fields.tsx';
import { ListTable, Loaded } from '../parts/lists.tsx';
import { Section, useOrganization } from '../parts/page.tsx';
import type { Schemas } from '../server/call-api.ts';
import { useList, useResource } from '../server/use-resource.ts';
import { useFormats, useTexts } from '../texts/language.ts';

interface RevisionsTabProps {
  readonly moduleId: string;
  /** Null: none is released to everyone. */
  readonly current: number | null;
}

/** A module's revisions, and what changed between two of them. */
export function RevisionsTab({ moduleId, current }: RevisionsTabProps) {
  const { common, releases, vendor } = useTexts();
  const format = useFormats();
  const { id } = useOrganization();
  const texts = vendor.revisions;
  const list = useList(`/${id}/modules/${moduleId}/revisions`);
  const revisions = list.value?.map(({ revision }) => revision) ?? [];
  return (
    <>
      <ListTable
        label={vendor.tabs.revisions}
        of={list}
        empty=""
        columns={[
          [
            common.revision,
            ({ revision }) => (
              <>
                {revision} {revision === current && <Badge tone="good">{releases.states.current}</Badge>}
              </>
            ),
          ],
          [texts.created, ({ createdAt }) => <Time value={createdAt} />],
          [vendor.overview.files, ({ files }) => files],
          [vendor.overview.size, ({ sizeBytes }) => format.bytes(sizeBytes)],
        ]}
      />
      {revisions.length === 1 && <p class="empty">{texts.only}</p>}
      {revisions.length > 1 && <Comparison moduleId={moduleId} revisions={revisions} />}
    </>
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
    <Section title={texts.compare}>
      <div class="row">
        <Select label={texts.from} options={options} value={from} onChange={setFrom} />
        <Select label={texts.to} options={options} value={to} onChange={setTo} />
      </div>
      <Loaded of={before}>
        {(old) => <Loaded of={after}>{(now) => <Changes before={old} after={now} />}</Loaded>}
      </Loaded>
    </Section>
  );
}

type Module = Schemas['Module'];

interface ChangesProps {
  readonly before: Module;
  readonly after: Module;
}

function Changes({ before, after }: ChangesProps) {
  const { vendor } = useTexts();
  const descriptor = differences(valuesOf(before.descriptor), valuesOf(after.descriptor));
  const files = differences(hashesOf(before), hashesOf(after));
  if (descriptor.length + files.length === 0) return <p class="empty">{vendor.revisions.same}</p>;
  return (
    <>
      <ChangeList title={vendor.overview.descriptor} changes={descriptor} hasValues />
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
  const languages = useCatalogue('languages');
  // The ID of a language means nothing to people.
  const readable = (location: string) =>
    location.replace(/(?<=\[)[0-9a-f-]{36}(?=\])/, (id) => languages.get(id)?.key ?? id);
  if (changes.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="plain lines changes">
        {changes.map(({ location, before, after }) => {
          const kind = before === null ? 'added' : after === null ? 'removed' : 'changed';
          return (
            <li key={location}>
              <Badge tone={TONES[kind]}>{texts[kind]}</Badge> <code>{readable(location)}</code>
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

/** One difference between two revisions; null: absent. */
interface Change {
  /** A path in the descriptor, or of a file. */
  readonly location: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Values by their location. */
type Values = readonly (readonly [location: string, value: string])[];

/** The contents of files. */
function hashesOf({ files }: Module): Values {
  return files.map(({ path, sha256 }) => [path, sha256]);
}

function differences(before: Values, after: Values): readonly Change[] {
  const [old, now] = [new Map(before), new Map(after)];
  const locations = [...new Set([...old.keys(), ...now.keys()])].toSorted();
  const changes = locations.map((location) => ({
    location,
    before: old.get(location) ?? null,
    after: now.get(location) ?? null,
  }));
  return changes.filter((change) => change.before !== change.after);
}

/** Members that identify an item of a list better than its index, which changes. */
const NAMES = ['languageId', 'key', 'file'];

/** Every value of a descriptor by its location. A list of plain values counts as one value. */
function valuesOf(value: unknown, location = ''): Values {
  if (value === null) return [];
  if (Array.isArray(value)) {
    if (!value.some((each) => typeof each === 'object'))
      return value.length === 0 ? [] : [[location, value.join(', ')]];
    return value.flatMap((each: object, at) => valuesOf(each, `${location}[${itemName(each, at)}]`));
  }
  if (typeof value === 'string') return [[location, value]];
  if (typeof value !== 'object') return [[location, JSON.stringify(value)]];
  const prefix = location === '' ? '' : `${location}.`;
  return Object.entries(value).flatMap(([name, member]) => valuesOf(member, `${prefix}${name}`));
}

function itemName(item: object, at: number): string {
  const named = Object.entries(item).find(([name]) => NAMES.includes(name));
  return named === undefined ? String(at + 1) : String(named[1]);
}
