import { useState } from 'preact/hooks';
import { ItemList } from '../parts/item-list.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { useEvery } from '../parts/use-every.ts';
import type { Alert, FarmTree, Organization } from '../server/answers.ts';
import { useList, useResource } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { AlertCard } from './alert-card.tsx';

const REFRESH_MS = 5_000;

/** What modules raised, with acknowledge. New alerts appear by themselves while the page is looked at. */
export function AlertsPage({ organization }: { readonly organization: Organization }) {
  const { common, farmer } = useTexts();
  const [status, setStatus] = useState('');
  const query = status === '' ? '' : `?status=${status}`;
  const alerts = useList<Alert>(`/${organization.id}/alerts${query}`);
  const { reload } = alerts;
  const names = useStructureNames(organization.id);
  useEvery(REFRESH_MS, () => void reload());
  return (
    <>
      <PageHead title={common.pages.alerts} lead={farmer.alerts.lead}>
        <label class="inline">
          {farmer.alerts.show}
          <select
            value={status}
            onChange={({ currentTarget }) => {
              setStatus(currentTarget.value);
            }}
          >
            <option value="">{farmer.alerts.all}</option>
            <option value="firing">{farmer.alerts.firing}</option>
            <option value="resolved">{farmer.alerts.resolved}</option>
          </select>
        </label>
      </PageHead>
      <ItemList of={alerts} empty={farmer.alerts.none} class="stack">
        {(alert) => (
          <AlertCard
            key={alert.id}
            alert={alert}
            targetName={names.get(alert.target.id) ?? alert.target.id}
            organization={organization}
            onChanged={reload}
          />
        )}
      </ItemList>
    </>
  );
}

/** The names of an organization's farms, fields, blocks and stations, by ID. */
function useStructureNames(organizationId: string): ReadonlyMap<string, string> {
  const { value } = useResource<{ readonly farms: readonly FarmTree[] }>(`/${organizationId}/structures`);
  const all = (value?.farms ?? []).flatMap((farm) => [
    farm,
    ...farm.fields.flatMap((field) => [field, ...field.blocks]),
    ...farm.irrigationStations,
  ]);
  return new Map(all.map(({ id, name }) => [id, name]));
}
