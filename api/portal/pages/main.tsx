import '@picocss/pico/css/pico.jade.min.css';
import './styles/base.css';
import './styles/forms.css';
import './styles/parts.css';
import './styles/pages.css';
import './styles/farms.css';
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Frame } from './frame.tsx';
import { keepInvitationSecret } from './invitation-page.tsx';
import { PathContext, usePath } from './navigation.ts';
import { PortalPages } from './pages.tsx';
import { ProblemNote } from './parts/page.tsx';
import { useSession } from './server/use-session.ts';
import { SessionEndedDialog, SignInPage } from './session-pages.tsx';
import { firstLanguage, type Language, LanguageContext, rememberLanguage } from './texts/language.ts';

/** The portal: the session, the language and the page at the address. */
function App() {
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

keepInvitationSecret();
const root = document.getElementById('portal');
if (root !== null) render(<App />, root);
