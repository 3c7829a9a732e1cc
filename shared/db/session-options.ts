/**
 * A host that loses its network does not close its sessions. PostgreSQL releases its locks when its transaction has
 * been idle for this long, and ends its sessions when it does not answer the probes of the connection.
 */
const END_LOST_SESSIONS = [
  'idle_in_transaction_session_timeout=10s',
  'tcp_keepalives_idle=10',
  'tcp_keepalives_interval=5',
  'tcp_keepalives_count=3',
];

/** Compiling a statement takes longer than any of these statements; the planner, which estimates sizes, may still choose it. */
const NO_COMPILER = 'jit=off';

/** The settings of a session, in the form of the start-up parameter `options`. */
export function sessionOptions({ asynchronousCommit }: { readonly asynchronousCommit: boolean }): string {
  const settings = [
    ...END_LOST_SESSIONS,
    NO_COMPILER,
    ...(asynchronousCommit ? ['synchronous_commit=off'] : []),
  ];
  return settings.map((setting) => `-c ${setting}`).join(' ');
}
