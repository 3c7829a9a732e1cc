import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { Badge, Facts, Time } from '../parts/facts.tsx';
import { ItemList, ListTable } from '../parts/lists.tsx';
import { Button, ProblemNote, RowButton, Section, useAction } from '../parts/page.tsx';
import { callApi, type Schemas } from '../server/call-api.ts';
import { useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { useWebhookDialogs } from './webhook-dialogs.tsx';

const DIALOGS = ['edit', 'rotate', 'remove'] as const;
const TONES = { enabled: 'good', paused: 'calm', disabled: 'bad' } as const;

/** The addresses of the module's back end that are called when something changes. */
export function Webhooks({ moduleId }: { readonly moduleId: string }) {
  const texts = useTexts().webhooks;
  const { id, isAdmin } = useOrganization();
  const [message, setMessage] = useState('');
  const list = useList(`/${id}/webhooks/${moduleId}`);
  const dialogs = useWebhookDialogs(moduleId, list.reload);
  return (
    <Section
      title={texts.section}
      actions={isAdmin && <Button text={texts.add} onClick={dialogs.add} />}
      lead={texts.lead}
    >
      <p role="status" class="quiet">
        {message}
      </p>
      <ItemList class="stack" of={list} empty={texts.none}>
        {(webhook) => (
          <WebhookCard key={webhook.id} webhook={webhook}>
            {isAdmin && (
              <WebhookActions {...{ webhook, dialogs, onMessage: setMessage, onChanged: list.reload }} />
            )}
          </WebhookCard>
        )}
      </ItemList>
    </Section>
  );
}

interface WebhookCardProps {
  readonly webhook: Schemas['Webhook'];
  /** What can be done with it. */
  readonly children: ComponentChildren;
}

/** A webhook: what it gets, its state, and how its calls ended. */
function WebhookCard({ webhook, children }: WebhookCardProps) {
  const texts = useTexts().webhooks;
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
          [texts.failingSince, failingSince && <Time value={failingSince} />],
          [texts.publicKey, <code key="key">{publicKey}</code>],
        ]}
      />
      {children}
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{texts.calls}</summary>
        {isOpen && <WebhookCalls webhook={webhook} />}
      </details>
    </li>
  );
}

interface WebhookActionsProps {
  readonly webhook: Schemas['Webhook'];
  readonly dialogs: ReturnType<typeof useWebhookDialogs>;
  readonly onMessage: (message: string) => void;
  readonly onChanged: () => Promise<void>;
}

function WebhookActions({ webhook, dialogs, onMessage, onChanged }: WebhookActionsProps) {
  const { common, webhooks: texts } = useTexts();
  const { id } = useOrganization();
  const path = `/${id}/webhooks/${webhook.moduleId}/${webhook.id}` as const;
  const isEnabled = webhook.status === 'enabled';
  const about = webhook.url;
  const names = { edit: common.edit, rotate: texts.rotate, remove: common.delete };
  const change = useAction(async () => {
    await callApi('PATCH', path, { status: isEnabled ? 'paused' : 'enabled' });
    await onChanged();
  });
  const test = useAction(async () => {
    onMessage('');
    await callApi('POST', `${path}/test`);
    onMessage(texts.tested);
  });
  return (
    <>
      <ProblemNote error={change.error ?? test.error} />
      <div class="card-foot">
        <RowButton
          {...{ text: isEnabled ? texts.pause : texts.enable, about }}
          isBusy={change.isBusy}
          onClick={change.run}
        />
        {isEnabled && <RowButton text={texts.test} about={about} isBusy={test.isBusy} onClick={test.run} />}
        {DIALOGS.map((name) => (
          <RowButton
            key={name}
            {...{ text: names[name], about }}
            onClick={() => {
              onMessage('');
              dialogs[name](webhook);
            }}
          />
        ))}
      </div>
    </>
  );
}

type Attempt = Schemas['WebhookAttempt'];

/** The calls of a webhook with their answers; each event can be delivered again. */
function WebhookCalls({ webhook }: { readonly webhook: Schemas['Webhook'] }) {
  const { common, webhooks: texts } = useTexts();
  const { id, isAdmin } = useOrganization();
  const [message, setMessage] = useState('');
  const path = `/${id}/webhooks/${webhook.moduleId}/${webhook.id}` as const;
  const list = useList(`${path}/attempts`);
  const refresh = useAction(async () => {
    setMessage('');
    await list.reload();
  });
  const replay = useAction(async (eventId: string) => {
    setMessage('');
    await callApi('POST', `${path}/replay`, { eventId });
    setMessage(texts.replayed);
  });
  // A test is no change, so there is nothing to deliver again.
  const replayButton = ({ type, eventId }: Attempt) =>
    type !== 'webhook.test' && (
      <RowButton text={texts.replay} about={type} onClick={() => replay.run(eventId)} />
    );
  return (
    <>
      <p>
        <RowButton text={texts.refresh} isBusy={refresh.isBusy} onClick={refresh.run} />{' '}
        <span role="status" class="quiet">
          {message}
        </span>
      </p>
      <ProblemNote error={replay.error} />
      <ListTable
        label={texts.calls}
        of={list}
        empty={texts.noCalls}
        columns={[
          [common.time, ({ createdAt }) => <Time value={createdAt} />],
          [texts.event, ({ type }) => <code>{type}</code>],
          [texts.attempt, ({ number }) => number],
          [texts.answer, (attempt) => <CallAnswer {...attempt} />],
          [texts.duration, ({ durationMs }) => texts.milliseconds(durationMs)],
        ]}
        isReadOnly={!isAdmin}
        actions={replayButton}
      />
    </>
  );
}

function CallAnswer({ status, error }: Attempt) {
  const isDelivered = status !== null && status >= 200 && status < 300;
  return (
    <>
      <Badge tone={isDelivered ? 'good' : 'bad'}>{status ?? '–'}</Badge> {error}
    </>
  );
}
