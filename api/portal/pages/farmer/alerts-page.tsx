import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { useModuleName } from '../parts/catalogue.ts';
import { Badge, Time } from '../parts/facts.tsx';
import { Select } from '../parts/fields.tsx';
import { ItemList } from '../parts/lists.tsx';
import { Button, PageHead, ProblemNote, useAction } from '../parts/page.tsx';
import { type AlertCriterion, callApi, type Schemas } from '../server/call-api.ts';
import { useEach, useEvery, useList, useResource } from '../server/use-resource.ts';
import { useFormats, useTexts } from '../texts/language.ts';
import { OverdueRules, useRuleText } from './rule-text.tsx';

const REFRESH_MS = 5_000;

/** Alerts that modules raised. New ones appear by themselves while the page is visible. */
export function AlertsPage() {
  const { common, alerts: texts } = useTexts();
  const { id } = useOrganization();
  const [status, setStatus] = useState('');
  const alerts = useList(status === '' ? `/${id}/alerts` : `/${id}/alerts?status=${status}`);
  const sourceOf = useSources(id, alerts.value ?? []);
  useEvery(REFRESH_MS, () => void alerts.reload());
  const { show, firing, resolved } = texts;
  return (
    <>
      <PageHead title={common.pages.alerts} lead={texts.lead}>
        <Select
          class="inline"
          label={show}
          options={[
            ['', common.all],
            ['firing', firing],
            ['resolved', resolved],
          ]}
          value={status}
          onChange={setStatus}
        />
      </PageHead>
      <OverdueRules />
      <ItemList of={alerts} empty={texts.none} class="stack">
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

/** What an alert names by its ID. Null: it does not exist any more; undefined: it is being fetched. */
interface AlertSource {
  readonly module: Schemas['AvailableModule'] | null | undefined;
  readonly rule: Schemas['AlertRule'] | null | undefined;
  readonly targetName: string;
}

interface AlertCardProps {
  readonly alert: Schemas['Alert'];
  readonly source: AlertSource;
  readonly onChanged: () => Promise<void>;
}

const TONES = { info: 'busy', warning: 'warn', critical: 'bad' } as const;

/** An alert, with the module and the rule that raised it. */
function AlertCard({ alert, source, onChanged }: AlertCardProps) {
  const texts = useTexts().alerts;
  const { severity, status, title, message, startsAt } = alert;
  const isFiring = status === 'firing';
  return (
    <li class={`card alert alert-${isFiring ? severity : 'resolved'}`}>
      <div>
        <h2>{title}</h2>
        <p class="quiet">
          <Badge tone={isFiring ? TONES[severity] : 'calm'}>{texts.severity[severity]}</Badge> {texts[status]}{' '}
          · {texts.since} <Time value={startsAt} /> · {source.targetName}
        </p>
        <p>{message}</p>
        <Measured alert={alert} source={source} />
        <Raiser alert={alert} source={source} />
      </div>
      <Acknowledgement alert={alert} onChanged={onChanged} />
    </li>
  );
}

type PartProps = Pick<AlertCardProps, 'alert' | 'source'>;

function criterionOf({ module, rule }: AlertSource): AlertCriterion | undefined {
  return module?.alertRules?.criterias[rule?.criteria ?? ''];
}

/** The value with its unit, and the labels. */
function Measured({ alert: { value, labels }, source }: PartProps) {
  const texts = useTexts().alerts;
  const format = useFormats();
  const parts = Object.values(criterionOf(source)?.parts ?? {});
  const unit = parts.find(({ field }) => field === 'number')?.unit;
  const measured = value === null ? [] : [[texts.value, [format.number(value, 15), unit].join(' ').trim()]];
  const facts = [...measured, ...Object.entries(labels)];
  if (facts.length === 0) return null;
  return (
    <ul class="plain labels">
      {facts.map(([name, text]) => (
        <li key={name}>
          <span class="quiet">{name}</span> {text}
        </li>
      ))}
    </ul>
  );
}

function Raiser({ alert: { moduleId }, source: { module, rule, ...rest } }: PartProps) {
  const texts = useTexts().alerts;
  const nameOf = useModuleName();
  const ruleText = useRuleText();
  if (module === undefined || rule === undefined) return <p class="quiet">…</p>;
  const described = rule === null ? null : ruleText(rule, criterionOf({ module, rule, ...rest }));
  return (
    <p class="quiet">
      {texts.raisedBy(module === null ? moduleId : nameOf(module.translations))} · {texts.rule}{' '}
      {described === null && texts.deletedRule}
      {rule !== null && rule.name !== null && (
        <>
          <strong>{rule.name}</strong>:{' '}
        </>
      )}
      {described?.condition}
    </p>
  );
}

/** The person who has acknowledged an alert, or the button that does. A resolved alert needs no acknowledgement. */
function Acknowledgement({ alert, onChanged }: Pick<AlertCardProps, 'alert' | 'onChanged'>) {
  const texts = useTexts().alerts;
  const organization = useOrganization();
  const { isBusy, error, run } = useAction(async () => {
    await callApi('POST', `/${organization.id}/alerts/${alert.id}/acknowledge`);
    await onChanged();
  });
  const { status, title, acknowledgedAt, acknowledgedBy } = alert;
  if (acknowledgedAt !== null) return <span class="quiet">{texts.acknowledged(acknowledgedBy ?? '')}</span>;
  if (status === 'resolved' || !organization.isAdmin) return null;
  return (
    <div class="alert-end">
      <ProblemNote error={error} />
      <Button {...{ text: texts.acknowledge, about: title, isBusy }} class="small" onClick={run} />
    </div>
  );
}
