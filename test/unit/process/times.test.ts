import { expect, test } from 'vitest';
import { CALL_MS as ISSUER_CALL_MS, ISSUER_MS } from '../../../api/auth/issuer-client.ts';
import { CLAIM_MS } from '../../../api/auth/sessions.ts';
import { MAX_WAIT_SECONDS } from '../../../api/changes/change-endpoints.ts';
import { COMMENT_MS } from '../../../api/http/answer/event-stream.ts';
import { THREAD_TIMES as JSON_TIMES } from '../../../api/http/request/json-bodies.ts';
import { standardTimes } from '../../../api/http/server/serve.ts';
import * as ciTokens from '../../../api/trusted-publishing/verify-token.ts';
import { loadConfig } from '../../../shared/config/config.ts';
import { REFRESH_AHEAD_MS } from '../../../shared/db/access/sessions/session-tokens.ts';
import {
  CONNECTION_TIMES,
  IDLE_DURING_TASKS_MS,
  IDLE_IN_TRANSACTION_MS,
  STANDARD_TIMES,
} from '../../../shared/db/session-options.ts';
import { MAX_WAIT_MS as SNAPSHOT_WAIT_MS } from '../../../shared/db/structures/snapshot.ts';
import { DELIVERY_DAYS, FAILING_DAYS, QUIET_DAYS } from '../../../shared/db/webhooks/attempts.ts';
import { DELIVERY_LEASE_MS } from '../../../shared/db/webhooks/deliveries.ts';
import { maxStopMs } from '../../../shared/process/run-process.ts';
import { LOCK_MS, STALL_CHECK_MS } from '../../../shared/queue/import-worker.ts';
import { ANSWER_MS } from '../../../shared/storage/s3-client.ts';
import { CALL_MS } from '../../../shared/webhooks/webhook-call.ts';
import { THREAD_TIMES } from '../../../worker/import/file-threads.ts';
import { graceOf, SLOWEST_UPLOAD } from '../../../worker/maintenance/collect-garbage.ts';
import { TASK_EVERY_MS } from '../../../worker/run-worker.ts';
import { leaseOf, longestRunOf } from '../../../worker/schedule.ts';
import { longestWaitSeconds } from '../../../worker/webhooks/send-webhook.ts';

const config = loadConfig({});
const { imports, database, streams, limits, retention, server } = config;
const SECOND = 1_000;
const DAY = 86_400 * SECOND;
const times = standardTimes({ config });

/** Each row is one of the table in docs/reliability.md: what ends first, and what has to last longer. */
const ENDS_BEFORE: readonly (readonly [inner: string, innerMs: number, outer: string, outerMs: number])[] = [
  [
    'discovery, the token call and storing the tokens',
    2 * ISSUER_CALL_MS +
      (CONNECTION_TIMES.shareMs + CONNECTION_TIMES.openMs) +
      (STANDARD_TIMES.lockMs + STANDARD_TIMES.statementMs),
    'the claim of a refresh',
    CLAIM_MS,
  ],
  ['a refresh', ISSUER_MS, 'the access token that others use meanwhile', REFRESH_AHEAD_MS],
  [
    'a call of a webhook, a connection and a lock for its record',
    CALL_MS + CONNECTION_TIMES.openMs + imports.lockSeconds * SECOND,
    'the claim of a delivery',
    DELIVERY_LEASE_MS,
  ],
  [
    'the longest wait between two attempts of a delivery',
    longestWaitSeconds() * SECOND,
    'the time after which failures are not one period of failing',
    QUIET_DAYS * DAY,
  ],
  ['a delivery', DELIVERY_DAYS * DAY, 'the time of failing that disables a webhook', FAILING_DAYS * DAY],
  ['a delivery', DELIVERY_DAYS * DAY, 'the changes that it delivers', retention.changeDays * DAY],
  ...Object.entries(TASK_EVERY_MS).flatMap(
    ([name, everyMs]) =>
      [
        [
          `a third of the lease of ${name}, twice`,
          (2 * leaseOf({ everyMs })) / 3,
          'the lease',
          leaseOf({ everyMs }),
        ],
        [`the lease of ${name}`, leaseOf({ everyMs }), 'its longest run', longestRunOf({ everyMs })],
      ] as const,
  ),
  ['a check for dead workers', STALL_CHECK_MS, 'the lock of a job', LOCK_MS],
  ['a lock of an attempt', imports.lockSeconds * SECOND, 'its step', imports.stepSeconds * SECOND],
  ['a file in a thread', THREAD_TIMES.maxElapsedMs, 'its step', imports.stepSeconds * SECOND],
  ['a step of an import', imports.stepSeconds * SECOND, 'all attempts', imports.deadlineSeconds * SECOND],
  ['a lock of a request', STANDARD_TIMES.lockMs, 'its statement', STANDARD_TIMES.statementMs],
  [
    'the waits of a request for a connection',
    database.waitSeconds * SECOND + CONNECTION_TIMES.openMs,
    'the 15 s within which a missing part is answered',
    15 * SECOND,
  ],
  ['a request to the store with its retries', ANSWER_MS, 'these 15 s', 15 * SECOND],
  ['a request that needs the issuer', ISSUER_MS, 'these 15 s', 15 * SECOND],
  [
    'a snapshot, and its wait for a client',
    streams.snapshotSeconds * SECOND + SNAPSHOT_WAIT_MS,
    'the end of an idle transaction',
    IDLE_IN_TRANSACTION_MS,
  ],
  [
    'the wait of a request for its import',
    imports.waitSeconds * SECOND,
    'the silence that ends a connection',
    times.idleMs,
  ],
  ['the wait of a request for changes', MAX_WAIT_SECONDS * SECOND, 'that silence', times.idleMs],
  ['the pause of an event stream', COMMENT_MS, 'that silence', times.idleMs],
  ['a JSON body in a thread', JSON_TIMES.maxElapsedMs, 'that silence', times.idleMs],
  ['it', JSON_TIMES.maxElapsedMs, 'the end of the transaction that waits for it', IDLE_DURING_TASKS_MS],
  ['the headers of a request', times.headersMs, 'the pause between two requests', times.keepAliveMs],
  [
    'the slowest upload',
    (limits.maxPackageBytes / SLOWEST_UPLOAD) * SECOND,
    'the age at which objects without a row are removed',
    graceOf({ config }),
  ],
  [
    'a token of CI, by a clock that is behind',
    ciTokens.CLOCK_TOLERANCE_SECONDS * SECOND,
    'the time for which its ID is kept after its end',
    ciTokens.CLOCK_MARGIN_SECONDS * SECOND,
  ],
  [
    'the delay and the drain of a shutdown',
    (server.shutdownDelaySeconds + server.drainSeconds) * SECOND,
    'the end of the process',
    maxStopMs(config),
  ],
];

test.each(ENDS_BEFORE)('%s (%d ms) ends before %s (%d ms)', (_inner, innerMs, _outer, outerMs) => {
  expect(innerMs).toBeLessThanOrEqual(outerMs);
});
