import { useEffect, useRef } from 'preact/hooks';
import { hasSessionEnded } from '../server/ended-session.ts';

/** Repeats something while the page is visible and the session has not ended. */
export function useEvery(everyMs: number, act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden && !hasSessionEnded()) latest.current();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
