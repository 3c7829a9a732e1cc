import type { Config } from '../shared/config/config.ts';
import type { SessionTimes } from '../shared/db/session-options.ts';

/** How long a worker's statements may take: no longer than a step of an import, which is then tried again. */
export function workerTimes({ imports }: Config): SessionTimes {
  return { lockMs: imports.lockSeconds * 1_000, statementMs: imports.stepSeconds * 1_000 };
}
