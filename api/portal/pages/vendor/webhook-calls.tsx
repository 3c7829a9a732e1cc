import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { ProblemNote, RowButton, useAction } from '../parts/action.tsx';
import { Badge, Time } from '../parts/facts.tsx';
import { ListTable } from '../parts/lists.tsx';
import type { Schemas } from '../server/api-types.ts';
import { callApi } from '../server/call-api.ts';
import { useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';

type Attempt = Schemas['WebhookAttempt'];

/** The calls of a webhook with their answers; each event can be delivered again. */
export function WebhookCalls({ webhook }: { readonly webhook: Schemas['Webhook'] }) {
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
        actions={isAdmin ? replayButton : null}
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
