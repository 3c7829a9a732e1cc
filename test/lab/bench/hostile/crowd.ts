import { setTimeout } from 'node:timers/promises';
import { Pool } from 'undici';
import type { HonestOrganization } from './honest-load.ts';
import type { AttackedService } from './service.ts';
import { printTable } from '../measure.ts';

/** What each hostile organization has under way at once, of each kind. */
const LANES = 8;
const LEAD_MS = 3_000;
const PAUSE_MS = 100;
const READ_EVERY_MS = 10;
/** The most that the others may raise the p50 of a light read. */
const MOST_RATIO = 3;

const MODULE_LOCK = "select pg_advisory_xact_lock(hashtextextended('module ' || $1, 0))";

type Statuses = Map<number, number>;

/** What one more organization's reads took beside these hostile ones. */
interface Crowd {
  readonly hostile: number;
  readonly readMs: readonly number[];
  readonly failed: number;
  readonly answers: Statuses;
}

/**
 * Measures light reads of one organization alone and beside two, three … hostile ones, in turns. Each of these has eight
 * writes under way that wait for one row, and eight releases of one module that wait for its lock.
 */
export async function benchCrowd(service: AttackedService, most: number, seconds: number): Promise<void> {
  const [reader, ...others] = service.honest;
  if (reader === undefined || most > others.length || !(most >= 2))
    throw new Error(`--organizations takes a number from 2 to ${others.length}`);
  await measureCrowd(service, reader, [], seconds);
  const crowds: Crowd[] = [];
  for (let hostile = 2; hostile <= most; hostile += 1)
    for (const size of [0, hostile])
      crowds.push(await measureCrowd(service, reader, others.slice(0, size), seconds));
  printCrowds(crowds);
}

async function measureCrowd(
  service: AttackedService,
  reader: HonestOrganization,
  hostile: readonly HonestOrganization[],
  seconds: number,
): Promise<Crowd> {
  const pool = new Pool(service.url, { connections: 256 });
  const held = await Promise.all(
    hostile.flatMap(({ farmerId, moduleId }) => [
      service.lockStructures(farmerId),
      service.lock(MODULE_LOCK, [moduleId]),
    ]),
  );
  const end = new AbortController();
  const answers: Statuses = new Map();
  const attacks = hostile.flatMap((each) => attack(pool, each, answers, end.signal));
  await setTimeout(LEAD_MS);
  const { readMs, failed } = await readLightly(pool, reader, seconds);
  end.abort();
  await Promise.all(held.map((release) => release()));
  await Promise.all(attacks);
  await pool.close();
  return { hostile: hostile.length, readMs, failed, answers };
}

/** Calls that wait for locks, each again after its answer. */
function attack(
  pool: Pool,
  { farmerId, farmerToken, vendorId, vendorToken, moduleId }: HonestOrganization,
  answers: Statuses,
  signal: AbortSignal,
): readonly Promise<void>[] {
  const calls = [
    { method: 'PUT', path: `${farmerId}/structures`, token: farmerToken, body: '{"farms":[]}' },
    {
      ...{ method: 'POST', path: `${vendorId}/modules/${moduleId}/revisions/1/release` },
      ...{ token: vendorToken, body: '{}' },
    },
  ] as const;
  const lane = async ({ method, path, token, body }: (typeof calls)[number]) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    while (!signal.aborted) {
      const answer = await pool.request({ method, path: `/api/v8.0/${path}`, headers, body });
      await answer.body.dump();
      answers.set(answer.statusCode, (answers.get(answer.statusCode) ?? 0) + 1);
      await setTimeout(PAUSE_MS);
    }
  };
  return calls.flatMap((call) => Array.from({ length: LANES }, () => lane(call)));
}

/** One read after the other. */
async function readLightly(
  pool: Pool,
  { vendorId, vendorToken }: HonestOrganization,
  seconds: number,
): Promise<Pick<Crowd, 'readMs' | 'failed'>> {
  const path = `/api/v8.0/${vendorId}/modules`;
  const headers = { Authorization: `Bearer ${vendorToken}` };
  const readMs: number[] = [];
  let failed = 0;
  const endMs = performance.now() + seconds * 1_000;
  while (performance.now() < endMs) {
    const startMs = performance.now();
    const { statusCode, body } = await pool.request({ method: 'GET', path, headers });
    await body.dump();
    readMs.push(performance.now() - startMs);
    if (statusCode !== 200) failed += 1;
    await setTimeout(READ_EVERY_MS);
  }
  return { readMs: readMs.toSorted((a, b) => a - b), failed };
}

/** Prints the times; the command fails where a read failed, or took too long beside others. */
function printCrowds(crowds: readonly Crowd[]): void {
  const rows = [
    ['hostile organizations', 'reads', 'p50', 'p99', 'p50 over alone', 'failed', 'their answers'],
  ];
  const at = ({ readMs }: Crowd, share: number) => readMs[Math.floor(readMs.length * share)] ?? 0;
  let alone = 0;
  for (const crowd of crowds) {
    const p50 = at(crowd, 0.5);
    if (crowd.hostile === 0) alone = p50;
    const ratio = p50 / alone;
    if (ratio > MOST_RATIO || crowd.failed > 0) process.exitCode = 1;
    rows.push([
      ...[String(crowd.hostile), String(crowd.readMs.length), `${p50.toFixed(1)} ms`],
      ...[`${at(crowd, 0.99).toFixed(1)} ms`, `${ratio.toFixed(2)} ×`, String(crowd.failed)],
      [...crowd.answers].map(([status, count]) => `${status}: ${count}`).join(', '),
    ]);
  }
  console.log('\nLight reads of one organization, alone and beside hostile ones');
  printTable(rows);
}
