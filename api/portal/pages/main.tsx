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
import { followLink, followNotifications, useAddress } from './navigation.ts';
import { PortalPages } from './pages.tsx';
import { Loaded } from './parts/lists.tsx';
import { useSession } from './server/use-session.ts';
import { SessionEndedDialog, SignInPage } from './session-pages.tsx';
import { firstLanguage, type Language, LanguageContext, rememberLanguage } from './texts/language.ts';

/** The portal: the session, the language and the page at the address. */
function App() {
  const [language, setLanguage] = useState<Language>(firstLanguage);
  const { resource, session, hasEnded } = useSession();
  const path = useAddress('pathname');
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const choose = (chosen: Language) => {
    rememberLanguage(chosen);
    setLanguage(chosen);
  };
  return (
    <LanguageContext.Provider value={language}>
      <Frame session={session} path={path} onLanguage={choose}>
        <Loaded of={resource}>
          {() => (session === null ? <SignInPage /> : <PortalPages session={session} path={path} />)}
        </Loaded>
      </Frame>
      {hasEnded && <SessionEndedDialog />}
    </LanguageContext.Provider>
  );
}

keepInvitationSecret();
addEventListener('click', followLink);
followNotifications();
const root = document.getElementById('portal');
if (root !== null) render(<App />, root);
