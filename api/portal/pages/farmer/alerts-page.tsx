import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { Badge } from '../parts/badge.tsx';
import { Select } from '../parts/fields.tsx';
import { ItemList } from '../parts/loaded.tsx';
import { Time } from '../parts/localized.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { useAction } from '../parts/use-action.ts';
import { useEvery } from '../parts/use-every.ts';
import type { Schemas } from '../server/api-types.ts';
import { callApi } from '../server/call-api.ts';
import { useList, useResource } from '../server/use-resource.ts';
import { useFormats } from '../texts/formats.ts';
import { useTexts } from '../texts/language.ts';

const REFRESH_MS = 5_000;

/** Alerts that modules raised. New ones appear by themselves while the page is visible. */
export function AlertsPage() {
  const { common, farmer } = useTexts();
  const { id } = useOrganization();
  const [status, setStatus] = useState('');
  const alerts = useList(status === '' ? `/${id}/alerts` : `/${id}/alerts?status=${status}`);
  const names = useStructureNames(id);
  useEvery(REFRESH_MS, () => void alerts.reload());
  const { show, all, firing, resolved } = farmer.alerts;
  return (
    <>
      <PageHead title={common.pages.alerts} lead={farmer.alerts.lead}>
        <Select
          class="inline"
          label={show}
          options={[
            ['', all],
            ['firing', firing],
            ['resolved', resolved],
          ]}
          value={status}
          onChange={setStatus}
        />
      </PageHead>
      <ItemList of={alerts} empty={farmer.alerts.none} class="stack">
        {(alert) => (
          <AlertCard
            key={alert.id}
            alert={alert}
            targetName={names.get(alert.target.id) ?? alert.target.id}
            onChanged={alerts.reload}
          />
        )}
      </ItemList>
    </>
  );
}

/** The names of an organization's farms, fields, blocks and stations, by ID. */
function useStructureNames(organizationId: string): ReadonlyMap<string, string> {
  const { value } = useResource(`/${organizationId}/structures`);
  const all = (value?.farms ?? []).flatMap((farm) => [
    farm,
    ...farm.fields.flatMap((field) => [field, ...field.blocks]),
    ...farm.irrigationStations,
  ]);
  return new Map(all.map(({ id, name }) => [id, name]));
}

interface AlertCardProps {
  readonly alert: Schemas['Alert'];
  readonly targetName: string;
  readonly onChanged: () => Promise<void>;
}

const TONES = { info: 'busy', warning: 'warn', critical: 'bad' } as const;

function AlertCard({ alert, targetName, onChanged }: AlertCardProps) {
  const texts = useTexts().farmer.alerts;
  const format = useFormats();
  const organization = useOrganization();
  const { isBusy, error, run } = useAction(async () => {
    await callApi('POST', `/${organization.id}/alerts/${alert.id}/acknowledge`);
    await onChanged();
  });
  const { severity, status, value, acknowledgedAt, acknowledgedBy } = alert;
  return (
    <li class={`card alert alert-${status === 'firing' ? severity : 'resolved'}`}>
      <div>
        <h2>{alert.title}</h2>
        <p class="quiet">
          <Badge tone={status === 'firing' ? TONES[severity] : 'calm'}>{texts.severity[severity]}</Badge>{' '}
          {texts[status]} · {texts.since} <Time value={alert.startsAt} /> · {targetName}
          {value !== null && ` · ${texts.value} ${format.number(value, 15)}`}
        </p>
        <p>{alert.message}</p>
        <ProblemNote error={error} />
      </div>
      {acknowledgedAt !== null && <span class="quiet">{texts.acknowledged(acknowledgedBy ?? '')}</span>}
      {acknowledgedAt === null && organization.isAdmin && (
        <button
          type="button"
          class="small"
          aria-busy={isBusy}
          aria-label={`${texts.acknowledge}: ${alert.title}`}
          onClick={() => void run()}
        >
          {texts.acknowledge}
        </button>
      )}
    </li>
  );
}
