import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { Fault, Load } from './fault.ts';
import type { FaultStack } from './stack/fault-stack.ts';
import { KeyReads } from './key-reads.ts';
import { IS_TIMED } from './max-recovery.ts';

/** Longer than twenty attempts at most six seconds apart last: so no number of attempts stands for the deadline. */
const AWAY_MS = Number(process.env['FAULT_AWAY_SECONDS'] ?? 110) * 1_000;
/** Imports that wait when a part goes away. */
const WAITING = 200;
const MAX_FILL_MS = 120_000;
const POLL_MS = 500;

/** Clients that wait without pressing: many more requests would measure the machine. */
const CLIENTS = { count: WAITING, pollMs: 3_000, patienceMs: AWAY_MS + 300_000 };

/** Has all storage reads fail until so many imports have been accepted and have not ended. */
async function fill({ storageProxy, databaseUrl }: FaultStack, load: Load): Promise<void> {
  if (storageProxy === null) throw new Error('no storage to disturb');
  storageProxy.mood = 'without reads';
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const startMs = Date.now();
  let waiting = 0;
  while (waiting < WAITING && Date.now() < startMs + MAX_FILL_MS) {
    await setTimeout(POLL_MS);
    const { rows } = await client.query<{ count: number }>(
      "select count(*)::int as count from imports where status in ('queued', 'running')",
    );
    waiting = rows[0]?.count ?? 0;
  }
  await client.end();
  console.error(`  ${waiting} imports wait, the part is away for ${AWAY_MS / 1_000} s`);
  // Clients without a key are not acknowledged where the fault hits their upload.
  if (waiting < WAITING * 0.9) load.issues.push(`only ${waiting} imports waited when the part went away`);
}

/** While the storage is away, what does not need it goes on at this share of its rate. */
const LEAST_READS = 0.9;
/** For the rate before the outage. */
const WELL_MS = 10_000;

/** Takes a part away, and returns what brings it back. */
type TakeAway = (stack: FaultStack) => Promise<() => Promise<void>>;

function awayFault(part: string, takeAway: TakeAway, { withReads }: { readonly withReads: boolean }): Fault {
  return {
    name: `${part} away`,
    parts: 'Redis, S3',
    needs: ['redis and S3'],
    minTimes: 1,
    // The longest wait between two attempts, of clients and of workers, and the usual recovery.
    maxRecoverySeconds: 45,
    pauseMs: 0,
    clients: CLIENTS,
    async inject(stack, _round, load) {
      const reads = withReads ? await KeyReads.start(stack) : null;
      const wellRate = (await reads?.rateDuring(setTimeout(WELL_MS))) ?? 0;
      await fill(stack, load);
      const comeBack = await takeAway(stack);
      if (stack.storageProxy !== null && part !== 'storage') stack.storageProxy.mood = 'well';
      const away = setTimeout(AWAY_MS);
      if (reads === null) await away;
      else {
        const ratio = (await reads.rateDuring(away)) / wellRate;
        console.error(`  reads with keys: ${ratio.toFixed(2)} of the rate before`);
        // Under the other outages the imports that waited run, and take processor time.
        if (IS_TIMED && part === 'storage' && ratio < LEAST_READS)
          load.issues.push('reads with keys became slower');
      }
      await comeBack();
      await reads?.stop();
      load.issues.push(...(reads?.failures ?? []));
    },
  };
}

/** A part that is away for long: no import that was accepted may fail, and none needs an operator. */
export const AWAY_FAULTS: readonly Fault[] = [
  awayFault(
    'storage',
    ({ storageProxy }) => {
      if (storageProxy !== null) storageProxy.mood = 'away';
      return Promise.resolve(() => {
        if (storageProxy !== null) storageProxy.mood = 'well';
        return Promise.resolve();
      });
    },
    { withReads: true },
  ),
  awayFault(
    'PostgreSQL',
    async ({ parts }) => {
      await parts.postgres.stop('fast');
      return () => parts.postgres.start();
    },
    { withReads: false },
  ),
  awayFault(
    'Redis',
    async ({ parts }) => {
      await parts.redis?.stop('SIGTERM');
      return async () => parts.redis?.start();
    },
    { withReads: true },
  ),
  awayFault(
    'issuer',
    async ({ parts }) => {
      await parts.issuer.stop();
      return () => parts.issuer.start();
    },
    { withReads: true },
  ),
];
