import { useEffect, useRef } from 'preact/hooks';

/** Does something every so often while the page is looked at. */
export function useEvery(everyMs: number, act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) latest.current();
    }, everyMs);
    return () => {
      clearInterval(timer);
    };
  }, [everyMs]);
}
