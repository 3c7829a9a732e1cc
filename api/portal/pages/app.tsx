import { useEffect, useState } from 'preact/hooks';
import { Frame } from './frame.tsx';
import { PathContext, usePath } from './location.ts';
import { PortalPages } from './pages.tsx';
import { ProblemNote } from './parts/problem-note.tsx';
import { useSession } from './server/use-session.ts';
import { SessionEndedDialog, SignInPage } from './sign-in-pages.tsx';
import { firstLanguage, LanguageContext, rememberLanguage, type Language } from './texts/language.ts';

/** The portal: the session, the language and the page at the address. */
export function App() {
  const [language, setLanguage] = useState<Language>(firstLanguage);
  const { signedIn, hasEnded } = useSession();
  const path = usePath();
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
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
      {hasEnded && <SessionEndedDialog />}
    </LanguageContext.Provider>
  );
}
