import { useEffect, useRef } from 'preact/hooks';
import { hasSessionEnded } from '../server/ended-session.ts';

/** Does something every so often while the page is looked at by who is signed in. */
export function useEvery(everyMs: number, act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden && !hasSessionEnded()) latest.current();
    }, everyMs);
    return () => {
      clearInterval(timer);
    };
  }, [everyMs]);
}
