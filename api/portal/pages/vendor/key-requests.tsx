import { useState } from 'preact/hooks';
import { Badge, Time } from '../parts/facts.tsx';
import { Checkbox, Select } from '../parts/fields.tsx';
import { ListTable } from '../parts/lists.tsx';
import { RowButton, Section, useOrganization } from '../parts/page.tsx';
import type { Schemas } from '../server/call-api.ts';
import { type ResourceList, useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';

/** The requests of a module's back end with its API keys: what it called, and how that ended. */
export function KeyRequests({ moduleId }: { readonly moduleId: string }) {
  const { common, keyRequests: texts } = useTexts();
  const { id } = useOrganization();
  const [clientId, setClientId] = useState('');
  const [isFailed, setFailed] = useState(false);
  const apps = useList(`/${id}/apiClients/${moduleId}?limit=200`).value ?? [];
  const names = new Map(apps.map((each) => [each.clientId, each.clientName]));
  const filter = new URLSearchParams({
    ...(clientId !== '' && { clientId }),
    ...(isFailed && { failed: 'true' }),
  });
  const list = useList(`/${id}/modules/${moduleId}/keyRequests?${filter.toString()}`);
  return (
    <Section
      title={texts.section}
      lead={texts.lead}
      actions={<RowButton text={common.refresh} about={texts.section} onClick={list.reload} />}
    >
      <div class="row">
        <Checkbox checked={isFailed} onChange={setFailed}>
          {texts.onlyFailed}
        </Checkbox>
        <Select
          label={texts.app}
          options={[['', texts.everyApp], ...names]}
          value={clientId}
          onChange={setClientId}
        />
      </div>
      <RequestTable {...{ list, names }} />
    </Section>
  );
}

interface RequestTableProps {
  readonly list: ResourceList<Schemas['KeyRequest']>;
  /** Of apps, by their clients' IDs. */
  readonly names: ReadonlyMap<string, string>;
}

function RequestTable({ list, names }: RequestTableProps) {
  const { common, keyRequests: texts } = useTexts();
  return (
    <ListTable
      label={texts.section}
      of={list}
      empty={texts.none}
      columns={[
        [common.time, ({ createdAt }) => <Time value={createdAt} />],
        [
          common.status,
          ({ status }) => (
            <Badge tone={status !== null && status < 400 ? 'good' : 'bad'}>{status ?? '–'}</Badge>
          ),
        ],
        [
          texts.call,
          ({ method, route }) => (
            <code>
              {method} {route}
            </code>
          ),
        ],
        [texts.app, (each) => names.get(each.clientId) ?? <code>{each.clientId}</code>],
        [texts.requestId, ({ traceId }) => <code>{traceId}</code>],
      ]}
    />
  );
}
