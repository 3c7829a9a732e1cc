import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { Badge } from '../parts/badge.tsx';
import { LoadedList } from '../parts/loaded.tsx';
import { Time } from '../parts/localized.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Table } from '../parts/table.tsx';
import { useAction } from '../parts/use-action.ts';
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
  const columns = [texts.time, texts.event, texts.attempt, texts.answer, texts.duration];
  return (
    <>
      <p>
        <button
          type="button"
          class="secondary outline small"
          aria-busy={refresh.isBusy}
          onClick={() => void refresh.run()}
        >
          {texts.refresh}
        </button>{' '}
        <span role="status" class="quiet">
          {message}
        </span>
      </p>
      <ProblemNote error={replay.error} />
      <LoadedList of={list} empty={texts.noCalls}>
        {(attempts) => (
          <Table label={texts.calls} columns={isAdmin ? [...columns, common.actions] : columns}>
            {attempts.map((attempt) => (
              <CallRow
                key={attempt.id}
                attempt={attempt}
                onReplay={isAdmin ? () => void replay.run(attempt.eventId) : null}
              />
            ))}
          </Table>
        )}
      </LoadedList>
    </>
  );
}

interface CallRowProps {
  readonly attempt: Attempt;
  /** Null: the reader may not. */
  readonly onReplay: (() => void) | null;
}

function CallRow({ attempt, onReplay }: CallRowProps) {
  const texts = useTexts().webhooks;
  const { createdAt, type, number, status, error, durationMs } = attempt;
  const isDelivered = status !== null && status >= 200 && status < 300;
  return (
    <tr>
      <td>
        <Time value={createdAt} />
      </td>
      <td>
        <code>{type}</code>
      </td>
      <td>{number}</td>
      <td>
        <Badge tone={isDelivered ? 'good' : 'bad'}>{status === null ? '–' : String(status)}</Badge> {error}
      </td>
      <td>{texts.milliseconds(durationMs)}</td>
      {onReplay !== null && (
        <td class="row-actions">
          {/* A test is no change, so there is nothing to deliver again. */}
          {type !== 'webhook.test' && (
            <button
              type="button"
              class="secondary outline small"
              aria-label={texts.replayOne(type)}
              onClick={onReplay}
            >
              {texts.replay}
            </button>
          )}
        </td>
      )}
    </tr>
  );
}
