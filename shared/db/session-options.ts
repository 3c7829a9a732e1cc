/** A transaction that sends nothing for this long is ended, and its locks are released. */
export const IDLE_IN_TRANSACTION_MS = 10_000;

/** The same for a transaction between whose statements a thread works: longer than the longest task of a thread. */
export const IDLE_DURING_TASKS_MS = 90_000;

/**
 * A host that loses its network does not close its sessions. PostgreSQL releases its locks when its transaction has
 * been idle for this long, and ends its sessions when it does not answer the probes of the connection, or does not receive what
 * is sent to it: then there are no probes.
 */
const END_LOST_SESSIONS = [
  `idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_MS}`,
  'tcp_keepalives_idle=10',
  'tcp_keepalives_interval=5',
  'tcp_keepalives_count=3',
  'tcp_user_timeout=25000',
];

/** Compiling a statement takes longer than any of these statements; the planner, which estimates sizes, may still choose it. */
const NO_COMPILER = 'jit=off';

/** The time limits of a session's statements. */
export interface SessionTimes {
  /** For each lock that a statement waits for: it holds a connection meanwhile. 0: not limited. */
  readonly lockMs: number;
  /** For each statement, its waiting included. 0: not limited. */
  readonly statementMs: number;
}

/** The longest waits for a connection of a pool. */
export const CONNECTION_TIMES = {
  /** For the share of a request's owner. */
  shareMs: 5_000,
  /** For one that is free or new. */
  openMs: 10_000,
};

/** The times of sessions for which nothing else is set: requests wait for them. */
export const STANDARD_TIMES: SessionTimes = { lockMs: 5_000, statementMs: 30_000 };

/** How a session differs from the others. */
export interface SessionSettings {
  /** `synchronous_commit` is off: for writes that a crash of the database may lose. */
  readonly asynchronousCommit?: boolean;
  readonly times?: SessionTimes;
}

/** The settings of a session, in the form of the start-up parameter `options`. */
export function sessionOptions({
  asynchronousCommit = false,
  times = STANDARD_TIMES,
}: SessionSettings = {}): string {
  const settings = [
    ...END_LOST_SESSIONS,
    NO_COMPILER,
    `lock_timeout=${times.lockMs}`,
    `statement_timeout=${times.statementMs}`,
    ...(asynchronousCommit ? ['synchronous_commit=off'] : []),
  ];
  return settings.map((setting) => `-c ${setting}`).join(' ');
}

/** With some time for the answer itself. */
const ANSWER_MS = 5_000;

/**
 * How the driver notices that the database's host has disappeared, so that other connections take the place of those that
 * led to it: a connection that waits for an answer is probed, and is closed if a statement has none when its time is over.
 */
export function answerOptions({ statementMs }: SessionTimes) {
  return {
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(statementMs > 0 && { query_timeout: statementMs + ANSWER_MS }),
  };
}
