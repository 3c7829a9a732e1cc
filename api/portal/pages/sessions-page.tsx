import { useState } from 'preact/hooks';
import { Badge } from './parts/badge.tsx';
import { FormDialog } from './parts/form-dialog.tsx';
import { Loaded } from './parts/loaded.tsx';
import { Time } from './parts/localized.tsx';
import { PageHead } from './parts/page-head.tsx';
import { Table } from './parts/table.tsx';
import type { Schemas } from './server/api-types.ts';
import { callApi } from './server/call-api.ts';
import { useResource } from './server/use-resource.ts';
import { useTexts } from './texts/language.ts';

type ListedSession = Schemas['Session'];

/** Where the reader is signed in, and the end of these sessions. */
export function SessionsPage({ currentId }: { readonly currentId: string }) {
  const { sessions } = useTexts();
  const list = useResource('/sessions');
  // Null: no dialog; otherwise the session that is to end, or all others.
  const [ending, setEnding] = useState<ListedSession | 'others' | null>(null);
  const close = () => setEnding(null);
  return (
    <>
      <PageHead title={sessions.title} lead={sessions.lead}>
        {(list.value?.items.length ?? 0) > 1 && (
          <button type="button" class="outline" onClick={() => setEnding('others')}>
            {sessions.endOthers}
          </button>
        )}
      </PageHead>
      <Loaded of={list}>
        {({ items }) => <SessionTable items={items} currentId={currentId} onEnd={setEnding} />}
      </Loaded>
      {ending !== null && (
        <EndDialog ending={ending} currentId={currentId} onEnded={list.reload} onClose={close} />
      )}
    </>
  );
}

interface SessionTableProps {
  readonly items: readonly ListedSession[];
  readonly currentId: string;
  readonly onEnd: (session: ListedSession) => void;
}

function SessionTable({ items, currentId, onEnd }: SessionTableProps) {
  const { common, sessions } = useTexts();
  const columns = [sessions.where, sessions.signedInAt, sessions.lastUsedAt, common.actions];
  return (
    <Table label={sessions.title} columns={columns}>
      {items.map((each) => (
        <tr key={each.id}>
          <td>
            {sessions.device(each.browser, each.operatingSystem)}{' '}
            {each.id === currentId && <Badge tone="good">{sessions.current}</Badge>}
          </td>
          <td>
            <Time value={each.signedInAt} />
          </td>
          <td>
            <Time value={each.lastUsedAt} />
          </td>
          <td>
            {each.id !== currentId && (
              <button
                type="button"
                class="secondary outline small"
                aria-label={`${sessions.end}: ${sessions.device(each.browser, each.operatingSystem)}`}
                onClick={() => onEnd(each)}
              >
                {sessions.end}
              </button>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}

interface EndDialogProps {
  readonly ending: ListedSession | 'others';
  readonly currentId: string;
  readonly onEnded: () => Promise<void>;
  readonly onClose: () => void;
}

function EndDialog({ ending, currentId, onEnded, onClose }: EndDialogProps) {
  const { sessions } = useTexts();
  const end = async () => {
    if (ending === 'others') await callApi('DELETE', `/sessions?except=${currentId}`);
    else await callApi('DELETE', `/sessions/${ending.id}`);
    onClose();
    await onEnded();
  };
  const isOne = ending !== 'others';
  return (
    <FormDialog
      title={isOne ? sessions.endTitle : sessions.endOthersTitle}
      action={isOne ? sessions.end : sessions.endOthers}
      isDangerous
      onSubmit={end}
      onClose={onClose}
    >
      <p>
        {isOne && <strong>{sessions.device(ending.browser, ending.operatingSystem)}. </strong>}
        {sessions.endText}
      </p>
    </FormDialog>
  );
}
