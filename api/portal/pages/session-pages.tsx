import { useEffect } from 'preact/hooks';
import { SIGNED_IN_PAGE } from './navigation.ts';
import { Dialog } from './parts/dialog.tsx';
import { useDialogs } from './parts/dialogs.tsx';
import { Badge, Time } from './parts/facts.tsx';
import { ListTable } from './parts/lists.tsx';
import { Button, PageHead, RowButton } from './parts/page.tsx';
import { callApi, type Schemas, signInAddress } from './server/call-api.ts';
import { useList } from './server/use-resource.ts';
import { useTexts } from './texts/language.ts';

/** The page of a reader who is not signed in. */
export function SignInPage() {
  const { common } = useTexts();
  return (
    <div class="welcome">
      <PageHead title={common.portal} lead={common.signInLead} />
      <a role="button" href={signInAddress(location.pathname + location.search)}>
        {common.signIn}
      </a>
    </div>
  );
}

/** Covers a page whose session has ended; the page continues when the same person has signed in again. */
export function SessionEndedDialog() {
  const { common } = useTexts();
  return (
    <Dialog title={common.sessionEnded} onClose={null}>
      <p>{common.sessionEndedLead}</p>
      <footer>
        <a role="button" href={signInAddress(SIGNED_IN_PAGE)} target="_blank" rel="noopener">
          {common.signIn}
        </a>
      </footer>
    </Dialog>
  );
}

/** The end of a sign-in that another tab waits for. */
export function SignedInPage() {
  const { common } = useTexts();
  useEffect(() => {
    // Browsers allow it if the issuer knew the person and did not prompt.
    close();
  }, []);
  return (
    <>
      <PageHead title={common.signedIn} lead={common.signedInLead} />
      <a href="/portal">{common.toStart}</a>
    </>
  );
}

/** Where the reader is signed in, and the end of these sessions. */
export function SessionsPage({ currentId }: { readonly currentId: string }) {
  const { common, sessions: texts } = useTexts();
  const list = useList('/sessions');
  const { end, endOthers } = useEndDialogs(currentId, list.reload);
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead}>
        {(list.value?.length ?? 0) > 1 && (
          <Button text={texts.endOthers} class="outline" onClick={endOthers} />
        )}
      </PageHead>
      <ListTable
        label={texts.title}
        of={list}
        empty=""
        columns={[
          [
            common.browser,
            (session) => (
              <>
                {texts.device(session)}{' '}
                {session.id === currentId && <Badge tone="good">{common.thisOne}</Badge>}
              </>
            ),
          ],
          [texts.signedInAt, ({ signedInAt }) => <Time value={signedInAt} />],
          [common.lastUsed, ({ lastUsedAt }) => <Time value={lastUsedAt} />],
        ]}
        actions={(session) =>
          session.id !== currentId && (
            <RowButton text={texts.end} about={texts.device(session)} onClick={() => end(session)} />
          )
        }
      />
    </>
  );
}

/** Returns what ends a session, and what ends all others. */
function useEndDialogs(currentId: string, reload: () => Promise<void>) {
  const texts = useTexts().sessions;
  const dialogs = useDialogs(reload);
  const end = (session: Schemas['Session']) =>
    dialogs.confirm({
      title: texts.endTitle,
      text: (
        <>
          <strong>{texts.device(session)}. </strong>
          {texts.endText}
        </>
      ),
      action: texts.end,
      act: () => callApi('DELETE', `/sessions/${session.id}`),
    });
  const endOthers = () =>
    dialogs.confirm({
      title: texts.endOthersTitle,
      text: texts.endText,
      action: texts.endOthers,
      act: () => callApi('DELETE', `/sessions?except=${currentId}`),
    });
  return { end, endOthers };
}
