/**
 * A host that is cut off says no farewell. Its locks go when its transaction has been quiet for as long as this,
 * and its sessions, with what they hold, when it has answered no probe of the connection.
 */
const END_LOST_SESSIONS = [
  'idle_in_transaction_session_timeout=10s',
  'tcp_keepalives_idle=10',
  'tcp_keepalives_interval=5',
  'tcp_keepalives_count=3',
];

/** Compiling a statement takes longer than all of ours do; the planner, which guesses sizes, may still want it. */
const NO_COMPILER = 'jit=off';

/** Settings that a session begins with, as the start-up parameter `options` has them. */
export function sessionOptions({ isHasty }: { readonly isHasty: boolean }): string {
  const settings = [...END_LOST_SESSIONS, NO_COMPILER, ...(isHasty ? ['synchronous_commit=off'] : [])];
  return settings.map((setting) => `-c ${setting}`).join(' ');
}
