import { Ago, Badge } from '../parts/facts.tsx';
import { Button, useOrganization } from '../parts/page.tsx';
import { type AlertCriterion, callApi, type Schemas } from '../server/call-api.ts';
import { type Named, useNamed } from '../server/use-resource.ts';
import { useFormats, useTexts } from '../texts/language.ts';
import { useNameOf } from './rule-state.tsx';
import { useRuleText } from './rule-text.tsx';

interface AlertRowProps {
  readonly alert: Schemas['Alert'];
  readonly targetName: string;
  readonly onChanged: () => Promise<void>;
}

const TONES = { info: 'busy', warning: 'warn', critical: 'bad' } as const;

/** An alert, with the module and the rule that raised it. */
export function AlertRow({ alert, targetName, onChanged }: AlertRowProps) {
  const texts = useTexts().alerts;
  const { id } = useOrganization();
  const { severity, status, title, message, startsAt, moduleId, ruleId } = alert;
  const module = useNamed(`/${id}/availableModules/${moduleId}`);
  const rule = useNamed(`/${id}/alertRules/${ruleId}`);
  const criterion = module?.alertRules?.criterias[rule?.criteria ?? ''];
  const isFiring = status === 'firing';
  return (
    <li class={`row apart alert ${isFiring ? `tone-${TONES[severity]}` : ''}`}>
      <div>
        <h2>{title}</h2> <Badge tone={isFiring ? TONES[severity] : 'calm'}>{texts.severity[severity]}</Badge>{' '}
        <span class="quiet">
          {targetName} · {texts[status]} · <Ago value={startsAt} />
        </span>
        <p>{message}</p>
        <div class="row quiet">
          <Measured alert={alert} criterion={criterion} />
          <Raiser {...{ moduleId, module, rule }} />
        </div>
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
}

function Raiser({ moduleId, module, rule }: RaiserProps) {
  const texts = useTexts().alerts;
  const nameOf = useNameOf();
  const ruleText = useRuleText();
  if (module === undefined || rule === undefined) return <span>…</span>;
  return (
    <span>
      {texts.raisedBy(nameOf(moduleId, module))} · {texts.rule}{' '}
      {rule === null ? (
        texts.deletedRule
      ) : (
        <>
          {rule.name !== null && <strong>{rule.name}: </strong>}
          {ruleText(rule, module).condition}
        </>
      )}
    </span>
  );
}

/** Acknowledges alerts, one after the other: each has its entry in the audit log. */
export async function acknowledgeAlerts(
  organizationId: string,
  alerts: readonly Schemas['Alert'][],
): Promise<void> {
  for (const { id } of alerts) await callApi('POST', `/${organizationId}/alerts/${id}/acknowledge`);
}

/** The person who has acknowledged an alert, or the button that does. A resolved alert needs no acknowledgement. */
function Acknowledgement({ alert, onChanged }: Pick<AlertRowProps, 'alert' | 'onChanged'>) {
  const texts = useTexts().alerts;
  const organization = useOrganization();
  const acknowledge = () => acknowledgeAlerts(organization.id, [alert]).then(onChanged);
  const { status, title, acknowledgedAt, acknowledgedBy } = alert;
  if (acknowledgedAt !== null) return <span class="quiet">{texts.acknowledged(acknowledgedBy ?? '')}</span>;
  if (status === 'resolved' || !organization.isAdmin) return null;
  return (
    <div class="alert-end">
      <Button text={texts.acknowledge} about={title} class="small" onClick={acknowledge} />
    </div>
  );
}
