import type { Authority } from '../../../shared/db/access/authority.ts';
import type { ApiContext } from '../../context.ts';

/** With the time for which an authority is remembered, less than a second. */
const WATCH_MS = 400;

/** Ends a long answer when its reader is removed, or loses the role: within a second. Returns what stops the watch. */
export function watchAuthority(
  { access }: Pick<ApiContext, 'access'>,
  authority: Authority,
  end: () => void,
): () => void {
  const check = async () => {
    // Without an answer of the database nothing is known: the answer ends, and its client is authorized again.
    if (!(await access.holds(authority).catch(() => false))) end();
  };
  const timer = setInterval(() => void check(), WATCH_MS);
  return () => clearInterval(timer);
}
