import { useState } from 'preact/hooks';
import { goTo, useAddress } from '../navigation.ts';
import { Select } from '../parts/fields.tsx';
import { ItemList } from '../parts/lists.tsx';
import { Button, PageHead, useOrganization } from '../parts/page.tsx';
import type { Schemas } from '../server/call-api.ts';
import { joinLists, type ResourceList, useEvery, useList, useResource } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { acknowledgeAlerts, AlertRow } from './alert-row.tsx';
import { UnwatchedRules } from './rule-state.tsx';

type Alert = Schemas['Alert'];

const REFRESH_MS = 5_000;
const SEVERITIES = ['critical', 'warning', 'info'] as const;

/** Alerts that modules raised. New ones appear by themselves while the page is visible. */
export function AlertsPage() {
  const { common, alerts: texts } = useTexts();
  const { id, isAdmin } = useOrganization();
  const [filter, change] = useFilter();
  const targets = useTargets(id);
  // Of all pages, not of those that are shown: the critical ones may be the oldest.
  const critical = useList(`/${id}/alerts?status=firing&severity=critical&limit=200${moduleQuery(filter)}`);
  const newest = useList(`/${id}/alerts?status=firing&limit=200${query(filter)}`);
  const others = newest.value?.filter(({ severity }) => severity !== 'critical') ?? null;
  const firing = filter.severity === '' ? joinLists(critical, { ...newest, value: others }) : newest;
  useEvery(REFRESH_MS, () => void firing.reload());
  const shown = selected(firing, filter, targets);
  const open = (shown.value ?? []).filter(({ acknowledgedAt }) => acknowledgedAt === null);
  return (
    <>
      <PageHead title={common.pages.alerts} lead={texts.lead}>
        {isAdmin && open.length > 1 && (
          <Button
            text={texts.acknowledgeAll(open.length)}
            class="outline"
            onClick={() => acknowledgeAlerts(id, open).then(firing.reload)}
          />
        )}
      </PageHead>
      <UnwatchedRules />
      <Filters {...{ filter, change, targets }} />
      {filter.state !== 'resolved' && (
        <Alerts of={shown} empty={isFiltered(filter) ? texts.noneFits : texts.none} targets={targets} />
      )}
      {(filter.state === '' || filter.state === 'resolved') && (
        <Resolved key={filter.state} filter={filter} targets={targets} />
      )}
    </>
  );
}

interface AlertsProps {
  readonly of: ResourceList<Alert>;
  readonly empty: string;
  readonly targets: Targets;
}

function Alerts({ of, empty, targets }: AlertsProps) {
  return (
    <ItemList of={of} empty={empty} class="stack" isLive>
      {(alert) => (
        <AlertRow
          key={alert.id}
          alert={alert}
          targetName={targets.get(alert.target.id)?.name ?? alert.target.id}
          onChanged={of.reload}
        />
      )}
    </ItemList>
  );
}

interface SelectionProps {
  readonly filter: Filter;
  readonly targets: Targets;
}

/** The alerts that have ended, folded: they are read once somebody opens them. */
function Resolved({ filter, targets }: SelectionProps) {
  const texts = useTexts().alerts;
  const [isOpen, setOpen] = useState(filter.state === 'resolved');
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{texts.resolvedAlerts}</summary>
      {isOpen && <ResolvedAlerts {...{ filter, targets }} />}
    </details>
  );
}

function ResolvedAlerts({ filter, targets }: SelectionProps) {
  const texts = useTexts().alerts;
  const { id } = useOrganization();
  const list = useList(`/${id}/alerts?status=resolved${query(filter)}`);
  const empty = isFiltered(filter) ? texts.noneFits : texts.noneResolved;
  return <Alerts of={selected(list, filter, targets)} empty={empty} targets={targets} />;
}

/** The alerts that fit the filters: critical ones that fire on top, then the newest; those of one batch by their titles. */
function selected(list: ResourceList<Alert>, filter: Filter, targets: Targets): ResourceList<Alert> {
  const { field, severity, state } = filter;
  const isShown = ({ target, acknowledgedAt, ...alert }: Alert) =>
    (field === '' || targets.get(target.id)?.fieldId === field) &&
    (severity === '' || alert.severity === severity) &&
    (state !== 'open' || acknowledgedAt === null) &&
    (state !== 'acknowledged' || acknowledgedAt !== null);
  const urgency = ({ status, severity: each }: Alert) => Number(status === 'firing' && each === 'critical');
  const sorted = list.value
    ?.filter(isShown)
    .toSorted(
      (one, other) =>
        urgency(other) - urgency(one) ||
        other.createdAt.localeCompare(one.createdAt) ||
        one.title.localeCompare(other.title) ||
        one.id.localeCompare(other.id),
    );
  return { ...list, value: sorted ?? null };
}

const NO_FILTER = { field: '', module: '', severity: '', state: '' };

type Filter = typeof NO_FILTER;

const moduleQuery = ({ module }: Filter) =>
  module === '' ? '' : (`&moduleId=${encodeURIComponent(module)}` as const);

const query = (filter: Filter) =>
  `${filter.severity === '' ? '' : (`&severity=${encodeURIComponent(filter.severity)}` as const)}${moduleQuery(filter)}` as const;

/** Whether a filter hides alerts of a list; "resolved" only chooses the list. */
const isFiltered = ({ state, ...others }: Filter) =>
  (state !== '' && state !== 'resolved') || Object.values(others).some((each) => each !== '');

/** Returns the filters, which the address keeps, and what changes one of them. */
function useFilter(): readonly [Filter, (change: Partial<Filter>) => void] {
  const search = new URLSearchParams(useAddress('search'));
  const filter = { ...NO_FILTER, ...Object.fromEntries(search) };
  const change = (changed: Partial<Filter>) => {
    const given = Object.entries({ ...filter, ...changed }).filter(([, value]) => value !== '');
    goTo(`${location.pathname}?${new URLSearchParams(given).toString()}`, { replace: true });
  };
  return [filter, change];
}

interface FiltersProps extends SelectionProps {
  readonly change: (change: Partial<Filter>) => void;
}

function Filters({ filter, change, targets }: FiltersProps) {
  const { common, alerts: texts, farms } = useTexts();
  const { id } = useOrganization();
  const modules = useList(`/${id}/availableModules?limit=200`).value ?? [];
  const fields = [...targets].filter(([target, { fieldId }]) => target === fieldId);
  const installed = modules.filter(({ installed: isInstalled }) => isInstalled);
  const every = ['', common.all] as const;
  return (
    <div class="filters">
      <Select
        label={farms.field}
        options={[every, ...fields.map(([target, { name }]) => [target, name] as const)]}
        value={filter.field}
        onChange={(field) => change({ field })}
      />
      <Select
        label={common.module}
        options={[every, ...installed.map(({ id: moduleId, name }) => [moduleId, name] as const)]}
        value={filter.module}
        onChange={(module) => change({ module })}
      />
      <Select
        label={texts.severityLabel}
        options={[every, ...SEVERITIES.map((each) => [each, texts.severity[each]] as const)]}
        value={filter.severity}
        onChange={(severity) => change({ severity })}
      />
      <Select
        label={common.status}
        options={[every, ...Object.entries(texts.states)]}
        value={filter.state}
        onChange={(state) => change({ state })}
      />
    </div>
  );
}

/** The names of an organization's farms, fields, blocks and stations, by ID, and the field that each is in. */
type Targets = ReadonlyMap<string, { readonly name: string; readonly fieldId: string | null }>;

function useTargets(organizationId: string): Targets {
  const { value } = useResource(`/${organizationId}/structures`);
  const all = (value?.farms ?? []).flatMap((farm) => [
    { ...farm, fieldId: null },
    ...farm.fields.flatMap((field) =>
      [field, ...field.blocks].map((each) => ({ ...each, fieldId: field.id })),
    ),
    ...farm.irrigationStations.map((station) => ({ ...station, fieldId: null })),
  ]);
  return new Map(all.map(({ id, name, fieldId }) => [id, { name, fieldId }]));
}
