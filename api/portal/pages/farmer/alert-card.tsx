import { Badge } from '../parts/badge.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Time } from '../parts/time.tsx';
import { useAction } from '../parts/use-action.ts';
import type { Alert, Organization } from '../server/answers.ts';
import { callApi } from '../server/call-api.ts';
import { formatNumber } from '../texts/formats.ts';
import { useLanguage, useTexts } from '../texts/language.ts';

interface AlertCardProps {
  readonly alert: Alert;
  readonly targetName: string;
  readonly organization: Organization;
  readonly onChanged: () => Promise<void>;
}

const TONES = { info: 'busy', warning: 'warn', critical: 'bad' } as const;

/** One alert, and the button that says that somebody has seen it. */
export function AlertCard({ alert, targetName, organization, onChanged }: AlertCardProps) {
  const texts = useTexts().farmer.alerts;
  const language = useLanguage();
  const { isBusy, error, run } = useAction(async () => {
    await callApi('POST', `/${organization.id}/alerts/${alert.id}/acknowledge`);
    await onChanged();
  });
  const { severity, status, acknowledgedBy } = alert;
  return (
    <li class={`card alert alert-${status === 'firing' ? severity : 'resolved'}`}>
      <div>
        <h2>{alert.title}</h2>
        <p class="quiet">
          <Badge tone={status === 'firing' ? TONES[severity] : 'calm'}>{texts.severity[severity]}</Badge>{' '}
          {texts[status]} · {texts.since} <Time value={alert.startsAt} /> · {targetName}
          {alert.value !== null && (
            <>
              {' '}
              · {texts.value} {formatNumber(language, alert.value, 15)}
            </>
          )}
        </p>
        <p>{alert.message}</p>
        <ProblemNote error={error} />
      </div>
      <div class="alert-end">
        {alert.acknowledgedAt !== null && (
          <span class="quiet">{texts.acknowledged(acknowledgedBy ?? '')}</span>
        )}
        {alert.acknowledgedAt === null && organization.isAdmin && (
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
      </div>
    </li>
  );
}
