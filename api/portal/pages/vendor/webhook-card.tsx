import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { Badge } from '../parts/badge.tsx';
import { Facts } from '../parts/facts.tsx';
import { Time } from '../parts/localized.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { useAction } from '../parts/use-action.ts';
import type { Schemas } from '../server/api-types.ts';
import { callApi } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';
import { WebhookCalls } from './webhook-calls.tsx';

type Webhook = Schemas['Webhook'];

const DIALOGS = ['edit', 'rotate', 'delete'] as const;
/** A dialog about one webhook. */
export type WebhookDialog = (typeof DIALOGS)[number];

const TONES = { enabled: 'good', paused: 'calm', disabled: 'bad' } as const;

interface WebhookCardProps {
  readonly webhook: Webhook;
  readonly onOpen: (dialog: WebhookDialog) => void;
  readonly onChanged: () => Promise<void>;
  readonly onMessage: (message: string) => void;
}

/** A webhook: what it gets, its state, and how its calls ended. */
export function WebhookCard(props: WebhookCardProps) {
  const { webhook } = props;
  const texts = useTexts().webhooks;
  const { isAdmin } = useOrganization();
  const [isOpen, setOpen] = useState(false);
  const { url, description, status, disabledReason, types, failingSince, publicKey } = webhook;
  return (
    <li class="card">
      <h3>
        {url} <Badge tone={TONES[status]}>{texts.status[status]}</Badge>
      </h3>
      {description !== null && <p>{description}</p>}
      {disabledReason !== null && (
        <p class="note warn">
          {texts.disabledReasons[disabledReason]} {texts.disabledHelp}
        </p>
      )}
      <Facts
        of={[
          [texts.types, types?.join(', ') ?? texts.allTypes],
          [texts.failingSince, failingSince === null ? null : <Time value={failingSince} />],
          [texts.publicKey, <code key="key">{publicKey}</code>],
        ]}
      />
      {isAdmin && <WebhookActions {...props} />}
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{texts.calls}</summary>
        {isOpen && <WebhookCalls webhook={webhook} />}
      </details>
    </li>
  );
}

function WebhookActions({ webhook, onOpen, onChanged, onMessage }: WebhookCardProps) {
  const texts = useTexts().webhooks;
  const { id } = useOrganization();
  const path = `/${id}/webhooks/${webhook.moduleId}/${webhook.id}` as const;
  const isEnabled = webhook.status === 'enabled';
  const change = useAction(async () => {
    await callApi('PATCH', path, { status: isEnabled ? 'paused' : 'enabled' });
    await onChanged();
  });
  const test = useAction(async () => {
    onMessage('');
    await callApi('POST', `${path}/test`);
    onMessage(texts.tested);
  });
  const labels = { edit: texts.edit, rotate: texts.rotate, delete: texts.remove };
  const buttons = [
    { text: isEnabled ? texts.pause : texts.enable, isBusy: change.isBusy, run: change.run },
    ...(isEnabled ? [{ text: texts.test, isBusy: test.isBusy, run: test.run }] : []),
    ...DIALOGS.map((dialog) => ({
      text: labels[dialog],
      isBusy: false,
      run: () => onOpen(dialog),
    })),
  ];
  return (
    <>
      <ProblemNote error={change.error ?? test.error} />
      <div class="card-foot">
        {buttons.map(({ text, isBusy, run }) => (
          <button
            key={text}
            type="button"
            class="secondary outline small"
            aria-label={`${text}: ${webhook.url}`}
            aria-busy={isBusy}
            onClick={() => void run()}
          >
            {text}
          </button>
        ))}
      </div>
    </>
  );
}
