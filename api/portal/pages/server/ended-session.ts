/*
 * A session can end while a page is open. What is called then waits here until the same person has signed in again
 * in another tab, and is called again: the page with all that was typed into it stays as it is.
 */

const events = new EventTarget();
let isEnded = false;

/** Whether calls wait for a session: then no more should be begun than a person asks for. */
export function hasSessionEnded(): boolean {
  return isEnded;
}

/** Resolves when there is a session again. For who was refused for want of one: nothing of that call was done. */
export async function untilSignedIn(): Promise<void> {
  isEnded = true;
  events.dispatchEvent(new Event('ended'));
  await new Promise((resolve) => {
    events.addEventListener('back', resolve, { once: true });
  });
}

/** Lets all that waits go on. */
export function resumeSession(): void {
  isEnded = false;
  events.dispatchEvent(new Event('back'));
}

/** Tells when the session has ended. Gives a function that stops it. */
export function onSessionEnd(tell: () => void): () => void {
  events.addEventListener('ended', tell);
  return () => {
    events.removeEventListener('ended', tell);
  };
}
