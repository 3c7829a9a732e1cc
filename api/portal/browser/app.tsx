import { useEffect, useState } from 'preact/hooks';
import { Frame } from './frame.tsx';
import { PathContext, usePath } from './location.ts';
import { PortalPages } from './pages.tsx';
import { ProblemNote } from './parts/problem-note.tsx';
import type { Session } from './server/answers.ts';
import { readSession } from './server/call-api.ts';
import { SignInPage } from './sign-in-page.tsx';
import { firstLanguage, LanguageContext, rememberLanguage } from './texts/language.ts';
import type { Language } from './texts/language.ts';

type SignedIn = { readonly session: Session | null } | { readonly error: unknown } | null;

/** The portal: who is signed in, in which language, and the page of the address. */
export function App() {
  const [language, setLanguage] = useState<Language>(firstLanguage);
  const [signedIn, setSignedIn] = useState<SignedIn>(null);
  const path = usePath();
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  useEffect(() => {
    readSession<Session>().then(
      (session) => {
        setSignedIn({ session });
      },
      (error: unknown) => {
        setSignedIn({ error });
      },
    );
  }, []);
  const choose = (chosen: Language) => {
    rememberLanguage(chosen);
    setLanguage(chosen);
  };
  const session = signedIn !== null && 'session' in signedIn ? signedIn.session : null;
  return (
    <LanguageContext.Provider value={language}>
      <Frame session={session} path={path} onLanguage={choose}>
        {signedIn === null && <p aria-busy="true">…</p>}
        {signedIn !== null && 'error' in signedIn && <ProblemNote error={signedIn.error} />}
        {signedIn !== null && 'session' in signedIn && session === null && <SignInPage />}
        {session !== null && (
          <PathContext.Provider value={path}>
            <PortalPages session={session} path={path} />
          </PathContext.Provider>
        )}
      </Frame>
    </LanguageContext.Provider>
  );
}
