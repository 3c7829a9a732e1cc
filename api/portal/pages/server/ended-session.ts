/*
 * A session can end while a page is open. Calls then wait here until the same person has signed in again in another
 * tab, and are repeated. The page keeps everything that was typed into it.
 */

const events = new EventTarget();
let isEnded = false;

/** Whether calls wait for a session: then only a person's actions should start new ones. */
export function hasSessionEnded(): boolean {
  return isEnded;
}

/** Resolves when there is a session again. A call without a session had no effect, so it may be repeated. */
export async function untilSignedIn(): Promise<void> {
  isEnded = true;
  events.dispatchEvent(new Event('ended'));
  await new Promise((resolve) => events.addEventListener('back', resolve, { once: true }));
}

/** Lets waiting calls continue. */
export function resumeSession(): void {
  isEnded = false;
  events.dispatchEvent(new Event('back'));
}

/** Reports the end of the session. Returns a function that unsubscribes. */
export function onSessionEnd(onEnd: () => void): () => void {
  events.addEventListener('ended', onEnd);
  return () => events.removeEventListener('ended', onEnd);
}
