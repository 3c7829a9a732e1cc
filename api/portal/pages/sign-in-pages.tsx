import { useEffect } from 'preact/hooks';
import { SIGNED_IN_PAGE } from './pages-of.ts';
import { Dialog } from './parts/dialog.tsx';
import { PageHead } from './parts/page-head.tsx';
import { signInAddress } from './server/call-api.ts';
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
