import { PageHead } from './parts/page-head.tsx';
import { signInAddress } from './server/call-api.ts';
import { useTexts } from './texts/language.ts';

/** For who is not signed in. */
export function SignInPage() {
  const { common } = useTexts();
  return (
    <div class="welcome">
      <PageHead title={common.portal} lead={common.signInLead} />
      <a role="button" href={signInAddress(location.pathname)}>
        {common.signIn}
      </a>
    </div>
  );
}
