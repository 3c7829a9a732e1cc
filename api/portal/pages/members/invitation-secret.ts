import { INVITATION_PAGE } from '../pages-of.ts';

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
export function invitationSecret(): string | null {
  return sessionStorage.getItem(KEY);
}

/** Forgets the secret once it was used. */
export function forgetInvitationSecret(): void {
  sessionStorage.removeItem(KEY);
}
