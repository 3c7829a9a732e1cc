import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { Select } from '../parts/fields.tsx';
import { ItemList } from '../parts/loaded.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { useEach } from '../parts/use-each.ts';
import { useEvery } from '../parts/use-every.ts';
import type { Schemas } from '../server/api-types.ts';
import { callApi } from '../server/call-api.ts';
import { useList, useResource } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { AlertCard, type AlertSource } from './alert-card.tsx';
import { OverdueRules } from './no-report.tsx';

const REFRESH_MS = 5_000;

/** Alerts that modules raised. New ones appear by themselves while the page is visible. */
export function AlertsPage() {
  const { common, farmer } = useTexts();
  const { id } = useOrganization();
  const [status, setStatus] = useState('');
  const alerts = useList(status === '' ? `/${id}/alerts` : `/${id}/alerts?status=${status}`);
  const sourceOf = useSources(id, alerts.value ?? []);
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
      <OverdueRules />
      <ItemList of={alerts} empty={farmer.alerts.none} class="stack">
        {(alert) => (
          <AlertCard key={alert.id} alert={alert} source={sourceOf(alert)} onChanged={alerts.reload} />
        )}
      </ItemList>
    </>
  );
}

/** Finds what alerts name by their IDs: modules, rules and structures, each fetched once. */
function useSources(
  organizationId: string,
  alerts: readonly Schemas['Alert'][],
): (alert: Schemas['Alert']) => AlertSource {
  const modules = useEach(
    alerts.map(({ moduleId }) => moduleId),
    (moduleId) => callApi('GET', `/${organizationId}/availableModules/${moduleId}`),
  );
  const rules = useEach(
    alerts.map(({ ruleId }) => ruleId),
    (ruleId) => callApi('GET', `/${organizationId}/alertRules/${ruleId}`),
  );
  const names = useStructureNames(organizationId);
  return ({ moduleId, ruleId, target }) => ({
    module: modules.get(moduleId),
    rule: rules.get(ruleId),
    targetName: names.get(target.id) ?? target.id,
  });
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
