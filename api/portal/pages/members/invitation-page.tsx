import { PageHead } from '../parts/page-head.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { useAction } from '../parts/use-action.ts';
import { callApi } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';
import { forgetInvitationSecret, invitationSecret } from './invitation-secret.ts';

/** Accepts the invitation whose link was opened in this tab. */
export function InvitationPage() {
  const { common, members: texts } = useTexts();
  const secret = invitationSecret();
  const { isBusy, error, run } = useAction(async () => {
    const { organizationId, kind } = await callApi('POST', '/invitations/accept', { secret: secret ?? '' });
    forgetInvitationSecret();
    // The session is read again, which now has the organization.
    location.assign(`/portal/${organizationId}/${kind === 'vendor' ? 'modules' : 'farms'}`);
  });
  return (
    <>
      <PageHead title={texts.acceptTitle} lead={secret === null ? texts.noSecret : texts.acceptLead} />
      <ProblemNote error={error} />
      {secret === null ? (
        <a href="/portal">{common.toStart}</a>
      ) : (
        <button type="button" aria-busy={isBusy} disabled={isBusy} onClick={() => void run()}>
          {texts.accept}
        </button>
      )}
    </>
  );
}
