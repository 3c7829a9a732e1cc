import { useContext, useState } from 'preact/hooks';
import { actorName, type AuditEntry, AuditSentence, detailText } from './parts/audit-sentence.tsx';
import { Ago, Facts, Time } from './parts/facts.tsx';
import { Select, TextField } from './parts/fields.tsx';
import { LoadedList } from './parts/lists.tsx';
import { Button, OrganizationContext, PageHead } from './parts/page.tsx';
import { saveAnswer } from './server/call-api.ts';
import { useList } from './server/use-resource.ts';
import { useFormats, useTexts } from './texts/language.ts';

/** The forms in which a whole range can be saved, by the ending of the file. */
const FORMS = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;
const FILE_NAME = 'audit-log';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const NO_FILTER = { actor: '', moduleId: '', period: '', from: '', to: '' };

/** The periods that end now, in days. */
const PERIODS = ['1', '7', '30'] as const;
/** The period between two times that a person enters. */
const OWN_PERIOD = 'own';

/** The audit log of an organization, or of all where the page is none's; for operators. */
export function AuditPage() {
  const { common, audit } = useTexts();
  const organization = useContext(OrganizationContext);
  const [filter, setFilter] = useState(NO_FILTER);
  const query = queryOf(filter);
  const path = organization === null ? '/operations/auditLog' : (`/${organization.id}/auditLog` as const);
  const list = useList(`${path}?${new URLSearchParams({ limit: '100', ...query }).toString()}`);
  const save = (ending: keyof typeof FORMS) =>
    saveAnswer(`${path}?${new URLSearchParams(query).toString()}`, FORMS[ending], `${FILE_NAME}.${ending}`);
  return (
    <>
      <PageHead title={common.pages.auditLog} lead={organization === null ? audit.leadAll : audit.lead} />
      <Filters
        entries={list.value ?? []}
        filter={filter}
        onChange={(change) => setFilter((before) => ({ ...before, ...change }))}
      />
      {organization !== null && (
        <details>
          <summary>{common.download}</summary>
          <div class="row">
            <Button text={audit.saveCsv} class="secondary outline" onClick={() => save('csv')} />
            <Button text={audit.saveNdjson} class="secondary outline" onClick={() => save('ndjson')} />
          </div>
        </details>
      )}
      <LoadedList of={list} empty={Object.keys(query).length > 0 ? audit.noneFound : audit.none}>
        {(entries) => <Days entries={entries} isOfAll={organization === null} />}
      </LoadedList>
    </>
  );
}

type Filter = typeof NO_FILTER;

/** The members of a query; of a time of this machine's zone, none while the input is not complete. */
function queryOf({ actor, moduleId, from, to }: Filter): Readonly<Record<string, string>> {
  const timeOf = (local: string) => {
    const at = new Date(local);
    return Number.isNaN(at.getTime()) ? '' : at.toISOString();
  };
  const members = { actor, moduleId, from: timeOf(from), to: timeOf(to) };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== ''));
}

interface FilterProps {
  readonly filter: Filter;
  readonly onChange: (change: Partial<Filter>) => void;
}

interface FiltersProps extends FilterProps {
  readonly entries: readonly AuditEntry[];
}

/** The filters. Persons and modules can be chosen once an entry with them was read. */
function Filters({ entries, filter, onChange }: FiltersProps) {
  const { common, audit } = useTexts();
  const actors = useSeen(entries.map((entry) => [entry.actor, actorName(entry, audit)]));
  const modules = useSeen(
    entries.flatMap(({ moduleId, moduleName }) =>
      moduleId === null ? [] : [[moduleId, moduleName ?? moduleId] as const],
    ),
  );
  return (
    <>
      <div class="filters">
        <Select
          label={audit.person}
          options={[['', audit.everyone], ...actors]}
          value={filter.actor}
          onChange={(actor) => onChange({ actor })}
        />
        <Select
          label={common.module}
          options={[['', audit.everyModule], ...modules]}
          value={filter.moduleId}
          onChange={(moduleId) => onChange({ moduleId })}
        />
        <PeriodSelect filter={filter} onChange={onChange} />
      </div>
      {filter.period === OWN_PERIOD && <Times filter={filter} onChange={onChange} />}
    </>
  );
}

/** The choice of a period that ends now, or of one between two times. */
function PeriodSelect({ filter, onChange }: FilterProps) {
  const { common, audit } = useTexts();
  return (
    <Select
      label={common.time}
      options={[
        ['', audit.anyTime],
        ...PERIODS.map((days) => [days, audit.lastDays(Number(days))] as const),
        [OWN_PERIOD, audit.ownPeriod],
      ]}
      value={filter.period}
      onChange={(period) => onChange({ period, from: startOf(period), to: '' })}
    />
  );
}

/** The two times of a period. */
function Times({ filter, onChange }: FilterProps) {
  const { audit } = useTexts();
  return (
    <div class="filters times">
      <TextField
        label={audit.from}
        type="datetime-local"
        value={filter.from}
        onInput={(from) => onChange({ from })}
      />
      <TextField
        label={audit.before}
        type="datetime-local"
        value={filter.to}
        onInput={(to) => onChange({ to })}
      />
    </div>
  );
}

/** When a period of some days that ends now began. */
function startOf(period: string): string {
  const days = PERIODS.find((each) => each === period);
  return days === undefined ? '' : new Date(Date.now() - Number(days) * DAY_MS).toISOString();
}

/** Returns every ID that was read so far with its newest name, by name: a filter must not remove its own options. */
function useSeen(read: readonly (readonly [id: string, name: string])[]) {
  const [seen] = useState(new Map<string, string>());
  // The newest entry is the first.
  for (const [id, name] of read.toReversed()) seen.set(id, name);
  return [...seen].toSorted(([, one], [, other]) => one.localeCompare(other));
}

interface DaysProps {
  readonly entries: readonly AuditEntry[];
  /** Whether they are those of any organization. */
  readonly isOfAll: boolean;
}

/** Entries by day. */
function Days({ entries, isOfAll }: DaysProps) {
  const { day } = useFormats();
  const days = [...new Set(entries.map(({ at }) => day(at)))];
  return (
    <>
      {days.map((name) => (
        <section key={name} class="log">
          <h2>{name}</h2>
          <ul class="plain history">
            {entries
              .filter(({ at }) => day(at) === name)
              .map((entry) => (
                <li key={entry.id}>
                  <details>
                    <summary>
                      <span>
                        <AuditSentence entry={entry} />
                      </span>
                      <span class="quiet">
                        {isOfAll && entry.organizationName !== null && `${entry.organizationName} · `}
                        <When value={entry.at} />
                      </span>
                    </summary>
                    <Records entry={entry} isOfAll={isOfAll} />
                  </details>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </>
  );
}

/** How long ago a time of the last day was; of an earlier one, which stands below its day, the hour. */
function When({ value }: { readonly value: string }) {
  const { audit } = useTexts();
  const { clock } = useFormats();
  const ageMs = Date.now() - Date.parse(value);
  if (ageMs < MINUTE_MS) return <time dateTime={value}>{audit.now}</time>;
  if (ageMs < DAY_MS) return <Ago value={value} />;
  return <time dateTime={value}>{clock(value)}</time>;
}

/** What an entry has recorded beside its sentence. */
function Records({ entry, isOfAll }: { readonly entry: AuditEntry; readonly isOfAll: boolean }) {
  const { common, audit } = useTexts();
  const { at, organizationId, actor, action, moduleId, clientId, targetId, details, traceId } = entry;
  const others = Object.entries(details ?? {}).map(([name, value]) => [name, detailText(value)] as const);
  return (
    <Facts
      of={[
        [common.time, <Time value={at} />],
        [audit.action, <code>{action}</code>],
        ...others,
        [audit.actorId, actor],
        [audit.organizationId, isOfAll ? organizationId : null],
        [audit.moduleId, moduleId],
        [audit.clientId, clientId],
        [audit.targetId, targetId],
        [audit.traceId, traceId],
      ]}
    />
  );
}
