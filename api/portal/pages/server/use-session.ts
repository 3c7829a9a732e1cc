import { useEffect, useState } from 'preact/hooks';
import type { Session } from './answers.ts';
import { readSession } from './call-api.ts';
import { hasSessionEnded, onSessionEnd, resumeSession } from './ended-session.ts';

/** Who is signed in: not known yet, read (null: nobody), or not to be had. */
export type SignedIn = { readonly session: Session | null } | { readonly error: unknown } | null;

/** Who is signed in, and whether that session has ended since; it goes on when the same person has signed in again. */
export function useSession(): { readonly signedIn: SignedIn; readonly hasEnded: boolean } {
  const [signedIn, setSignedIn] = useState<SignedIn>(null);
  const [hasEnded, setEnded] = useState(false);
  useEffect(() => {
    readSession().then(
      (read) => {
        setSignedIn({ session: read });
      },
      (error: unknown) => {
        setSignedIn({ error });
      },
    );
    return onSessionEnd(() => {
      setEnded(true);
    });
  }, []);
  const session = signedIn !== null && 'session' in signedIn ? signedIn.session : null;
  useEffect(() => {
    if (session === null) return undefined;
    return followSignIns(session, (again) => {
      setSignedIn({ session: again });
      setEnded(false);
      resumeSession();
    });
  }, [session]);
  return { signedIn, hasEnded };
}

/** Tabs tell each other that somebody has signed in and nothing more: each asks the service who. */
const CHANNEL = 'portal-session';

/**
 * Tells the other tabs of this sign-in, and looks who is signed in when another tab tells of one, or the reader comes
 * back to a page whose session has ended.
 */
function followSignIns(before: Session, onBack: (session: Session) => void): () => void {
  const look = async () => {
    // Where this fails all stays as it is, and the next sign-in or return to the page asks again.
    const session = await readSession().catch(() => null);
    if (session === null) return;
    // What is shown and typed here is nothing that another person should see or send.
    if (session.subject !== before.subject) location.assign('/portal');
    else if (hasSessionEnded()) onBack(session);
  };
  const onMessage = () => void look();
  const onFocus = () => {
    if (hasSessionEnded()) void look();
  };
  const tabs = new BroadcastChannel(CHANNEL);
  tabs.addEventListener('message', onMessage);
  addEventListener('focus', onFocus);
  tabs.postMessage('signed in');
  return () => {
    tabs.close();
    removeEventListener('focus', onFocus);
  };
}
