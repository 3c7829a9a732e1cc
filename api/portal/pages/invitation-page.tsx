import { INVITATION_PAGE } from './navigation.ts';
import { Button, PageHead } from './parts/page.tsx';
import { callApi } from './server/call-api.ts';
import { useTexts } from './texts/language.ts';

/** Accepts the invitation whose link was opened in this tab. */
export function InvitationPage() {
  const { common, members: texts } = useTexts();
  const secret = invitationSecret();
  const accept = async () => {
    const { organizationId, kind } = await callApi('POST', '/invitations/accept', { secret: secret ?? '' });
    forgetInvitationSecret();
    // The session is read again, which now has the organization.
    location.assign(`/portal/${organizationId}/${kind === 'vendor' ? 'modules' : 'farms'}`);
  };
  return (
    <>
      <PageHead title={texts.acceptTitle} lead={secret === null ? texts.noSecret : texts.acceptLead} />
      {secret === null ? (
        <a href="/portal">{common.toStart}</a>
      ) : (
        <Button text={texts.accept} onClick={accept} />
      )}
    </>
  );
}

const KEY = 'invitation';

/**
 * Takes the secret out of the address before anything else runs: the address is shown, kept in the history and copied.
 * The tab keeps it, because the sign-in leaves the page and returns without the fragment.
 */
export function keepInvitationSecret(): void {
  if (location.pathname !== INVITATION_PAGE || location.hash.length < 2) return;
  sessionStorage.setItem(KEY, location.hash.slice(1));
  history.replaceState(null, '', INVITATION_PAGE);
}

/** The secret that this tab keeps; null: none. */
function invitationSecret(): string | null {
  return sessionStorage.getItem(KEY);
}

/** Forgets the secret once it was used. */
function forgetInvitationSecret(): void {
  sessionStorage.removeItem(KEY);
}
