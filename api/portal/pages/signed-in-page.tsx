import { useEffect } from 'preact/hooks';
import { PageHead } from './parts/page-head.tsx';
import { useTexts } from './texts/language.ts';

/** Where a sign-in ends that another tab waits for. */
export function SignedInPage() {
  const { common } = useTexts();
  useEffect(() => {
    // Browsers allow it where the issuer knew the person and asked nothing.
    close();
  }, []);
  return (
    <>
      <PageHead title={common.signedIn} lead={common.signedInLead} />
      <a href="/portal">{common.toStart}</a>
    </>
  );
}
