import { useEffect, useState } from 'preact/hooks';
import type { SessionAnswer } from '../../session-answer.ts';
import { hasSessionEnded, onSessionEnd, readSession, resumeSession } from './call-api.ts';
import { useRead } from './use-resource.ts';

/** Reads who is signed in, and whether that session has ended since; it resumes when the same person signs in again. */
export function useSession() {
  const resource = useRead('session', async () => ({ session: await readSession() }));
  const [hasEnded, setEnded] = useState(false);
  const session = resource.value?.session ?? null;
  useEffect(() => onSessionEnd(() => setEnded(true)), []);
  useEffect(() => {
    if (session === null) return undefined;
    return followSignIns(session, () => {
      void resource.reload();
      setEnded(false);
      resumeSession();
    });
  }, [session]);
  return { resource, session, hasEnded };
}

/** Tabs notify each other of a sign-in and nothing more: each fetches from the service who it was. */
const CHANNEL = 'portal-session';

/**
 * Notifies the other tabs of this sign-in, and checks who is signed in when another tab does so, or when the reader
 * returns to a page whose session has ended.
 */
function followSignIns(before: SessionAnswer, onBack: () => void): () => void {
  const check = async () => {
    // If this fails, nothing changes, and the next sign-in or return to the page checks again.
    const session = await readSession().catch(() => null);
    if (session === null) return;
    // Another person must neither see nor send what is shown and typed here.
    if (session.subject !== before.subject) location.assign('/portal');
    else if (hasSessionEnded()) onBack();
  };
  const onMessage = () => void check();
  const onFocus = () => {
    if (hasSessionEnded()) void check();
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
