import { useContext, useState } from 'preact/hooks';
import { Time } from './parts/facts.tsx';
import { TextField } from './parts/fields.tsx';
import { ListTable } from './parts/lists.tsx';
import { Button, OrganizationContext, PageHead } from './parts/page.tsx';
import { saveAnswer, type Schemas } from './server/call-api.ts';
import { useList } from './server/use-resource.ts';
import { useTexts } from './texts/language.ts';

/** The forms in which a whole range can be saved, by the ending of the file. */
const FORMS = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;
const FILE_NAME = 'audit-log';

/** The audit log of an organization, or of all where the page is none's; for operators. */
export function AuditPage() {
  const { common, audit } = useTexts();
  const organization = useContext(OrganizationContext);
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const range = { ...timeOf('from', from), ...timeOf('to', to) };
  const path = organization === null ? '/operations/auditLog' : (`/${organization.id}/auditLog` as const);
  const list = useList(`${path}?${new URLSearchParams({ limit: '100', ...range }).toString()}`);
  const save = (ending: keyof typeof FORMS) => {
    const address = `${path}?${new URLSearchParams(range).toString()}`;
    return saveAnswer(address, FORMS[ending], `${FILE_NAME}.${ending}`);
  };
  return (
    <>
      <PageHead title={common.pages.auditLog} lead={organization === null ? audit.leadAll : audit.lead} />
      <div class="row apart">
        <div class="row">
          <TextField label={audit.from} type="datetime-local" value={from} onInput={setFrom} />
          <TextField label={audit.before} type="datetime-local" value={to} onInput={setTo} />
        </div>
        {organization !== null && (
          <div class="row">
            <Button text={audit.saveCsv} class="secondary outline" onClick={() => save('csv')} />
            <Button text={audit.saveNdjson} class="secondary outline" onClick={() => save('ndjson')} />
          </div>
        )}
      </div>
      <ListTable
        label={common.pages.auditLog}
        of={list}
        empty={'from' in range || 'to' in range ? audit.noneInRange : audit.none}
        columns={[
          [common.time, ({ at }) => <Time value={at} />],
          [audit.actor, ({ actor }) => actor, 'path'],
          [audit.action, ({ action }) => <code>{action}</code>],
          [audit.about, (entry) => <About entry={entry} isOfAll={organization === null} />, 'path'],
        ]}
      />
    </>
  );
}

/** The member of a query for a time of this machine's zone; none while the input is not complete. */
function timeOf(name: 'from' | 'to', local: string): Partial<Record<typeof name, string>> {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? {} : { [name]: at.toISOString() };
}

interface AboutProps {
  readonly entry: Schemas['AuditEntry'];
  /** Whether it is one of any organization. */
  readonly isOfAll: boolean;
}

/** The details of an entry: its IDs, further records, and the trace ID of its request. */
function About({ entry, isOfAll }: AboutProps) {
  const { common, audit } = useTexts();
  const { organizationId, moduleId, clientId, targetId, details, traceId } = entry;
  const ids = [
    [common.organization, isOfAll ? organizationId : null],
    [common.module, moduleId],
    [audit.client, clientId],
    [audit.target, targetId],
  ] as const;
  const others = Object.entries(details ?? {}).map(([name, value]) => [name, textOf(value)] as const);
  return (
    <>
      {[...ids, ...others, [audit.trace, traceId] as const].map(
        ([name, value]) =>
          value !== null && (
            <div key={name}>
              <span class="quiet">{name}</span> {value}
            </div>
          ),
      )}
    </>
  );
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(textOf).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
