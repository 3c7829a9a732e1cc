import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { printTable } from '../measure.ts';
import { makeReaders, type Reader, type SeenState } from './reads.ts';
import { startReleaseService, type ReleaseService } from './service.ts';

const READS = 100_000;
const WARM_UP_READS = 3_000;
const ROUNDS = 10;
const START: SeenState = { revision: 2, isQuarantined: false };

/** The changes of a round: it ends as it started. */
const CHANGES: readonly {
  readonly name: string;
  readonly state: SeenState;
  apply(service: ReleaseService): Promise<void>;
}[] = [
  { name: 'roll back', state: { revision: 1, isQuarantined: false }, apply: (service) => service.release(1) },
  {
    name: 'quarantine',
    state: { revision: 1, isQuarantined: true },
    apply: (service) => service.quarantine(),
  },
  {
    name: 'end of quarantine',
    state: { revision: 1, isQuarantined: false },
    apply: (service) => service.endQuarantine(),
  },
  { name: 'release', state: START, apply: (service) => service.release(2) },
];

/** The reads around one change. */
interface Observed {
  reads: number;
  /** Neither wholly the old state nor wholly the new one. */
  mixed: number;
  /** The old state, in the answer to a read that started after the same read of its process had shown the new one. */
  goneBack: number;
  /** The same after another read of its process had shown the new one. */
  behind: number;
  /** From the answer to the change to the last answer of the old state. */
  lastOldMs: number;
}

/**
 * Three API processes on one database answer reads while a module is rolled back, quarantined and released again: how
 * long until every process answers so, and how many answers are mixed. `--reads 10000` makes fewer.
 */
export async function benchReleases(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { reads: { type: 'string', default: String(READS) } },
  });
  const folder = await mkdtemp(path.join(os.tmpdir(), 'bench-releases-'));
  const service = await startReleaseService(folder);
  const readers = makeReaders(service);
  try {
    await observe(readers, { before: START, after: START }, WARM_UP_READS, () => Promise.resolve());
    const perChange = Math.ceil(Number(values.reads) / (ROUNDS * CHANGES.length));
    const results = new Map<string, Observed[]>();
    let before = START;
    for (let round = 0; round < ROUNDS; round += 1)
      for (const { name, state: after, apply } of CHANGES) {
        await waitUntilShown(readers, before);
        const observed = await observe(readers, { before, after }, perChange, () => apply(service));
        results.set(name, [...(results.get(name) ?? []), observed]);
        before = after;
      }
    print(results);
  } finally {
    await Promise.all(readers.map((reader) => reader.close()));
    await service.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const SHOWN_AFTER_READS = 10_000;

/** Waits until every read of every process shows the state: what caches keep of an earlier one could be the next one. */
async function waitUntilShown(readers: readonly Reader[], state: SeenState): Promise<void> {
  await Promise.all(
    readers.map(async (reader) => {
      for (let reads = 0; reads < SHOWN_AFTER_READS; reads += 1)
        if ((await reader.read()) === reader.expected(state)) return;
      throw new Error(`${reader.process} ${reader.kind} never shows ${reader.expected(state)}`);
    }),
  );
}

interface Transition {
  readonly before: SeenState;
  readonly after: SeenState;
}

/** Reads without a pause, and changes the module after a quarter of the reads. */
async function observe(
  readers: readonly Reader[],
  transition: Transition,
  reads: number,
  change: () => Promise<void>,
): Promise<Observed> {
  const observed: Observed = { reads: 0, mixed: 0, goneBack: 0, behind: 0, lastOldMs: 0 };
  let changedAt = Number.POSITIVE_INFINITY;
  let changing = Promise.resolve();
  /** When a process, and a kind of read of it, first showed the new state. */
  const firstNew = new Map<string, number>();
  const isAfterNew = (subject: string, time: number) =>
    time > (firstNew.get(subject) ?? Number.POSITIVE_INFINITY);
  const readOn = async (reader: Reader) => {
    const [old, now] = [reader.expected(transition.before), reader.expected(transition.after)];
    const subject = `${reader.process} ${reader.kind}`;
    while (observed.reads < reads) {
      observed.reads += 1;
      if (observed.reads === Math.ceil(reads / 4))
        changing = change().then(() => {
          changedAt = performance.now();
        });
      const startedAt = performance.now();
      const answer = await reader.read();
      const answeredAt = performance.now();
      if (answer === now) {
        // A read that the change does not affect says nothing about it.
        if (now !== old)
          for (const each of [subject, reader.process])
            firstNew.set(each, Math.min(firstNew.get(each) ?? answeredAt, answeredAt));
      } else if (answer === old) {
        observed.lastOldMs = Math.max(observed.lastOldMs, answeredAt - changedAt);
        if (isAfterNew(subject, startedAt)) observed.goneBack += 1;
        else if (isAfterNew(reader.process, startedAt)) observed.behind += 1;
      } else {
        observed.mixed += 1;
        console.error(`${subject}: ${answer} is neither ${old} nor ${now}`);
      }
    }
  };
  // Two connections of each kind, so that reads of one kind overlap in every process.
  await Promise.all([...readers, ...readers].map(readOn));
  await changing;
  return observed;
}

function print(results: ReadonlyMap<string, readonly Observed[]>): void {
  const rows = [...results].map(([name, all]) => {
    const times = all.map(({ lastOldMs }) => lastOldMs).toSorted((a, b) => a - b);
    const sum = (member: 'reads' | 'mixed' | 'goneBack' | 'behind') =>
      String(all.reduce((total, each) => total + each[member], 0));
    return [
      ...[name, String(all.length), sum('reads')],
      ...[times[Math.floor(times.length / 2)], times.at(-1)].map((ms) => `${Math.round(ms ?? 0)} ms`),
      ...[sum('mixed'), sum('goneBack'), sum('behind')],
    ];
  });
  printTable([
    [
      'change',
      'times',
      'reads',
      'last old answer, median',
      'worst',
      'mixed',
      'old after new',
      'after another read',
    ],
    ...rows,
  ]);
}
