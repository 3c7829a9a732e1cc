import { useState } from 'preact/hooks';
import { Badge, Facts, Time } from '../parts/facts.tsx';
import { ItemList, ListTable } from '../parts/lists.tsx';
import { Button, RowButton, Section, useOrganization } from '../parts/page.tsx';
import { callApi, type Schemas } from '../server/call-api.ts';
import { useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { useWebhookDialogs } from './webhook-dialogs.tsx';

type Webhook = Schemas['Webhook'];

const TONES = { enabled: 'good', paused: 'calm', disabled: 'bad' } as const;

/** The addresses of the module's back end that are called when something changes. */
export function Webhooks({ moduleId }: { readonly moduleId: string }) {
  const texts = useTexts().webhooks;
  const { id, isAdmin } = useOrganization();
  const list = useList(`/${id}/webhooks/${moduleId}`);
  const dialogs = useWebhookDialogs(moduleId, list.reload);
  return (
    <Section
      title={texts.section}
      actions={isAdmin && <Button text={texts.add} onClick={() => dialogs.edit(null)} />}
      lead={texts.lead}
    >
      <ItemList class="stack" of={list} empty={texts.none}>
        {(webhook) => <WebhookCard key={webhook.id} {...{ webhook, dialogs, onChanged: list.reload }} />}
      </ItemList>
    </Section>
  );
}

interface WebhookProps {
  readonly webhook: Webhook;
  readonly dialogs: ReturnType<typeof useWebhookDialogs>;
  readonly onChanged: () => Promise<void>;
}

/** A webhook: what it gets, its state, and how its calls ended. */
function WebhookCard(props: WebhookProps) {
  const { webhook } = props;
  const { common, webhooks: texts } = useTexts();
  const { isAdmin } = useOrganization();
  const [isOpen, setOpen] = useState(false);
  const { url, description, status, disabledReason, types, firstFailedAt, publicKey } = webhook;
  return (
    <li class="card">
      <h3>
        {url} <Badge tone={TONES[status]}>{texts.status[status]}</Badge>
      </h3>
      {description !== null && <p>{description}</p>}
      {disabledReason !== null && <p class="note warn">{texts.disabledReasons[disabledReason]}</p>}
      <Facts
        of={[
          [texts.types, types?.join(', ') ?? texts.allTypes],
          [texts.failingSince, firstFailedAt && <Time value={firstFailedAt} />],
          [texts.publicKey, <code key="key">{publicKey}</code>],
        ]}
      />
      {isAdmin && <WebhookActions {...props} />}
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{common.calls}</summary>
        {isOpen && <WebhookCalls webhook={webhook} />}
      </details>
    </li>
  );
}

function WebhookActions({ webhook, dialogs, onChanged }: WebhookProps) {
  const { common, webhooks: texts } = useTexts();
  const { id } = useOrganization();
  const path = `/${id}/webhooks/${webhook.moduleId}/${webhook.id}` as const;
  const isEnabled = webhook.status === 'enabled';
  const about = webhook.url;
  const change = () => callApi('PATCH', path, { status: isEnabled ? 'paused' : 'enabled' }).then(onChanged);
  const test = () => callApi('POST', `${path}/test`);
  return (
    <div class="row card-foot">
      <RowButton {...{ text: isEnabled ? texts.pause : texts.enable, about }} onClick={change} />
      {isEnabled && <RowButton {...{ text: texts.test, about }} done={texts.tested} onClick={test} />}
      <RowButton {...{ text: common.edit, about }} onClick={() => dialogs.edit(webhook)} />
      <RowButton {...{ text: texts.rotate, about }} onClick={() => dialogs.rotate(webhook)} />
      <RowButton {...{ text: common.delete, about }} onClick={() => dialogs.remove(webhook)} />
    </div>
  );
}

type Attempt = Schemas['WebhookAttempt'];

/** The calls of a webhook with their answers; each event can be delivered again. */
function WebhookCalls({ webhook }: { readonly webhook: Webhook }) {
  const { common, webhooks: texts } = useTexts();
  const { id, isAdmin } = useOrganization();
  const path = `/${id}/webhooks/${webhook.moduleId}/${webhook.id}` as const;
  const list = useList(`${path}/attempts`);
  // A test is no change, so there is nothing to deliver again.
  const resendButton = ({ type, id: attemptId }: Attempt) =>
    type !== 'webhook.test' && (
      <RowButton
        {...{ text: texts.resend, about: type, done: texts.resent }}
        onClick={() => callApi('POST', `${path}/attempts/${attemptId}/resend`)}
      />
    );
  return (
    <>
      <p>
        <RowButton text={common.refresh} onClick={list.reload} />
      </p>
      <ListTable
        label={common.calls}
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
        actions={resendButton}
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
