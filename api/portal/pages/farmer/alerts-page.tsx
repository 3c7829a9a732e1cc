import { useState } from 'preact/hooks';
import { useModuleName } from '../parts/catalogue.ts';
import { Badge, Time } from '../parts/facts.tsx';
import { Select } from '../parts/fields.tsx';
import { ItemList } from '../parts/lists.tsx';
import { Button, PageHead, useOrganization } from '../parts/page.tsx';
import { type AlertCriterion, callApi, type Schemas } from '../server/call-api.ts';
import { type Named, useEvery, useList, useNamed, useResource } from '../server/use-resource.ts';
import { useFormats, useTexts } from '../texts/language.ts';
import { UnwatchedRules } from './rule-state.tsx';
import { useRuleText } from './rule-text.tsx';

const REFRESH_MS = 5_000;

/** Alerts that modules raised. New ones appear by themselves while the page is visible. */
export function AlertsPage() {
  const { common, alerts: texts } = useTexts();
  const { id } = useOrganization();
  const [status, setStatus] = useState('');
  const alerts = useList(status === '' ? `/${id}/alerts` : `/${id}/alerts?status=${status}`);
  const names = useStructureNames(id);
  useEvery(REFRESH_MS, () => void alerts.reload());
  const { show, firing, resolved } = texts;
  return (
    <>
      <PageHead title={common.pages.alerts} lead={texts.lead}>
        <Select
          class="row"
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
      <UnwatchedRules />
      <ItemList of={alerts} empty={texts.none} class="stack">
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

/** An alert, with the module and the rule that raised it. */
function AlertCard({ alert, targetName, onChanged }: AlertCardProps) {
  const texts = useTexts().alerts;
  const { id } = useOrganization();
  const { severity, status, title, message, startsAt, moduleId, ruleId } = alert;
  const module = useNamed(`/${id}/availableModules/${moduleId}`);
  const rule = useNamed(`/${id}/alertRules/${ruleId}`);
  const criterion = module?.alertRules?.criterias[rule?.criteria ?? ''];
  const isFiring = status === 'firing';
  return (
    <li class={`card row apart alert ${isFiring ? `tone-${TONES[severity]}` : ''}`}>
      <div>
        <h2>{title}</h2>
        <p class="quiet">
          <Badge tone={isFiring ? TONES[severity] : 'calm'}>{texts.severity[severity]}</Badge> {texts[status]}{' '}
          · {texts.since} <Time value={startsAt} /> · {targetName}
        </p>
        <p>{message}</p>
        <Measured alert={alert} criterion={criterion} />
        <Raiser {...{ module, rule, criterion }} moduleId={moduleId} />
      </div>
      <Acknowledgement alert={alert} onChanged={onChanged} />
    </li>
  );
}

interface MeasuredProps {
  readonly alert: Schemas['Alert'];
  readonly criterion: AlertCriterion | undefined;
}

/** The value with its unit, and the labels. */
function Measured({ alert: { value, labels }, criterion }: MeasuredProps) {
  const texts = useTexts().alerts;
  const format = useFormats();
  const parts = Object.values(criterion?.parts ?? {});
  const unit = parts.find(({ field }) => field === 'number')?.unit;
  const measured = value === null ? [] : [[texts.value, [format.number(value, 15), unit].join(' ').trim()]];
  const facts = [...measured, ...Object.entries(labels)];
  if (facts.length === 0) return null;
  return (
    <ul class="plain row labels">
      {facts.map(([name, text]) => (
        <li key={name}>
          <span class="quiet">{name}</span> {text}
        </li>
      ))}
    </ul>
  );
}

interface RaiserProps {
  readonly moduleId: string;
  readonly module: Named<Schemas['AvailableModule']>;
  readonly rule: Named<Schemas['AlertRule']>;
  readonly criterion: AlertCriterion | undefined;
}

function Raiser({ moduleId, module, rule, criterion }: RaiserProps) {
  const texts = useTexts().alerts;
  const nameOf = useModuleName();
  const ruleText = useRuleText();
  if (module === undefined || rule === undefined) return <p class="quiet">…</p>;
  return (
    <p class="quiet">
      {texts.raisedBy(module === null ? moduleId : nameOf(module.translations))} · {texts.rule}{' '}
      {rule === null ? (
        texts.deletedRule
      ) : (
        <>
          {rule.name !== null && <strong>{rule.name}: </strong>}
          {ruleText(rule, criterion).condition}
        </>
      )}
    </p>
  );
}

/** The person who has acknowledged an alert, or the button that does. A resolved alert needs no acknowledgement. */
function Acknowledgement({ alert, onChanged }: Pick<AlertCardProps, 'alert' | 'onChanged'>) {
  const texts = useTexts().alerts;
  const organization = useOrganization();
  const acknowledge = () =>
    callApi('POST', `/${organization.id}/alerts/${alert.id}/acknowledge`).then(onChanged);
  const { status, title, acknowledgedAt, acknowledgedBy } = alert;
  if (acknowledgedAt !== null) return <span class="quiet">{texts.acknowledged(acknowledgedBy ?? '')}</span>;
  if (status === 'resolved' || !organization.isAdmin) return null;
  return (
    <div class="alert-end">
      <Button text={texts.acknowledge} about={title} class="small" onClick={acknowledge} />
    </div>
  );
}
