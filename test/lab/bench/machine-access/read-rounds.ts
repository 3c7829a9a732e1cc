import { processorMs } from '../process-tree.ts';
import { loadReads, type ReadTarget } from './read-load.ts';

const ROUNDS = 3;
const SECONDS = 2;

/** A line of the table. */
export type Row = readonly [what: string, measured: string, floor: string, result: string, wanted: string];

/** One kind of answer of the service, or the rival's. */
export interface ReadSide {
  readonly targets: readonly ReadTarget[];
  readonly pid: number;
  readonly status: number;
}

/** The result of one side in a round. */
export interface ReadRound {
  readonly perSecond: number;
  /** Of one answer. */
  readonly processMs: number;
  readonly postgresMs: number;
}

/** Warms up each side, then runs all of them in turn. */
export async function measureReads(postgresPid: number, sides: readonly ReadSide[]): Promise<ReadRound[][]> {
  for (const { targets, status } of sides) await loadReads(targets, SECONDS, status);
  const rounds: ReadRound[][] = sides.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [index, side] of sides.entries()) rounds[index]?.push(await measureSide(postgresPid, side));
  return rounds;
}

async function measureSide(postgresPid: number, { targets, pid, status }: ReadSide): Promise<ReadRound> {
  const [process, postgres] = [processorMs(pid), processorMs(postgresPid)];
  const perSecond = await loadReads(targets, SECONDS, status);
  const answers = perSecond * SECONDS;
  return {
    perSecond,
    processMs: (processorMs(pid) - process) / answers,
    postgresMs: (processorMs(postgresPid) - postgres) / answers,
  };
}

/** The lines of a table that compare one kind of answer with the rival's. */
export function readRows(
  what: string,
  ours: readonly ReadRound[],
  rivals: readonly ReadRound[],
  wanted: string,
): Row[] {
  const rate = (rounds: readonly ReadRound[]) => median(rounds.map(({ perSecond }) => perSecond));
  const times = (rounds: readonly ReadRound[]) => {
    const process = median(rounds.map(({ processMs }) => processMs));
    const postgres = median(rounds.map(({ postgresMs }) => postgresMs));
    return `${process.toFixed(3)} + ${postgres.toFixed(3)} ms`;
  };
  const ratio = `${(rate(ours) / rate(rivals)).toFixed(2)} (medians of ${ROUNDS})`;
  return [
    [what, `${rate(ours).toFixed(0)}/s`, `${rate(rivals).toFixed(0)}/s`, ratio, wanted],
    ['  processor time of one, process + PostgreSQL', times(ours), times(rivals), '', ''],
  ];
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
