import { useOrganization } from '../organization.ts';
import { Badge } from '../parts/badge.tsx';
import { useModuleName } from '../parts/catalogue.ts';
import { Time } from '../parts/localized.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { useAction } from '../parts/use-action.ts';
import type { AlertCriterion, Schemas } from '../server/api-types.ts';
import { callApi } from '../server/call-api.ts';
import { useFormats } from '../texts/formats.ts';
import { useTexts } from '../texts/language.ts';
import { useRuleText } from './rule-text.ts';

/** What an alert names by its ID. Null: it does not exist any more; undefined: it is being fetched. */
export interface AlertSource {
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
export function AlertCard({ alert, source, onChanged }: AlertCardProps) {
  const texts = useTexts().farmer.alerts;
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
  const texts = useTexts().farmer.alerts;
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
  const texts = useTexts().farmer.alerts;
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

/** Who has acknowledged an alert, or the button that does. Nobody needs to acknowledge what is resolved. */
function Acknowledgement({ alert, onChanged }: Pick<AlertCardProps, 'alert' | 'onChanged'>) {
  const texts = useTexts().farmer.alerts;
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
      <button
        type="button"
        class="small"
        aria-busy={isBusy}
        aria-label={`${texts.acknowledge}: ${title}`}
        onClick={() => void run()}
      >
        {texts.acknowledge}
      </button>
    </div>
  );
}
