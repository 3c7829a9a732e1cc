import { SIGNED_IN_PAGE } from './pages-of.ts';
import { Dialog } from './parts/dialog.tsx';
import { signInAddress } from './server/call-api.ts';
import { useTexts } from './texts/language.ts';

/** Lies over a page whose session has ended; the page goes on as it was when the same person has signed in again. */
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
