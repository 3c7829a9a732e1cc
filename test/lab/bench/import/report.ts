import { LOAD, type Turn } from './turns.ts';
import { printTable } from '../measure.ts';

/** A turn of the rival and, right after it, one of the service. */
export interface Round {
  readonly rival: Turn;
  readonly service: Turn;
}

/** All rounds of one load. */
export interface Rounds {
  readonly load: string;
  /** In each turn. */
  readonly imports: number;
  readonly rounds: readonly Round[];
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

/** The median of the rounds' ratios, with the lowest and the highest. */
function ratio(rounds: readonly Round[], of: (turn: Turn) => number): string {
  const ratios = rounds.map(({ rival, service }) => of(service) / of(rival));
  const [middle, low, high] = [median(ratios), Math.min(...ratios), Math.max(...ratios)];
  return `${middle.toFixed(2)} (${low.toFixed(2)}-${high.toFixed(2)})`;
}

function partsOf(turn: Turn | undefined): readonly string[] {
  return [...(turn?.processorMs.keys() ?? [])].filter((part) => part !== LOAD);
}

function allPartsMs(turn: Turn): number {
  return partsOf(turn).reduce((sum, part) => sum + (turn.processorMs.get(part) ?? 0), 0);
}

/** Prints speed: the medians of both sides, and their ratio. */
export function printSpeed(loads: readonly Rounds[]): void {
  const headings = ['clients', 'imports/s', 'p50 ms', 'p99 ms', 'rival/s', 'p50 ms', 'p99 ms', 'ratio'];
  const rows = loads.map(({ load, rounds }) => {
    const cells = (turns: readonly Turn[]) => [
      median(turns.map(({ perSecond }) => perSecond)).toFixed(1),
      median(turns.map(({ p50Ms }) => p50Ms)).toFixed(1),
      median(turns.map(({ p99Ms }) => p99Ms)).toFixed(1),
    ];
    const ours = cells(rounds.map(({ service }) => service));
    const others = cells(rounds.map(({ rival }) => rival));
    return [load, ...ours, ...others, ratio(rounds, ({ perSecond }) => perSecond)];
  });
  printTable([headings, ...rows]);
}

/** Prints processor time of an import by part, in milliseconds; the load generators' is listed separately. */
export function printProcessorTime(loads: readonly Rounds[]): void {
  const first = loads[0]?.rounds[0];
  const ours = partsOf(first?.service);
  const others = partsOf(first?.rival);
  const nameOfRival = (part: string) => (part === 'rival' ? part : `its ${part}`);
  const headings = ['clients', ...ours, 'all', ...others.map(nameOfRival), 'all', 'ratio', 'load'];
  const rows = loads.map(({ load, imports, rounds }) => {
    const perImport = (turns: readonly Turn[], of: (turn: Turn) => number) =>
      (median(turns.map(of)) / imports).toFixed(2);
    const cells = (turns: readonly Turn[], parts: readonly string[]) => [
      ...parts.map((part) => perImport(turns, ({ processorMs }) => processorMs.get(part) ?? 0)),
      perImport(turns, allPartsMs),
    ];
    const services = rounds.map(({ service }) => service);
    const rivals = rounds.map(({ rival }) => rival);
    const generators = perImport([...services, ...rivals], ({ processorMs }) => processorMs.get(LOAD) ?? 0);
    return [
      ...[load, ...cells(services, ours), ...cells(rivals, others)],
      ...[ratio(rounds, allPartsMs), generators],
    ];
  });
  printTable([headings, ...rows]);
}

/** Prints what one large package used: time, the longest answer of /livez, and the peak of memory by process. */
export function printLarge(loads: readonly Rounds[]): void {
  const rows = loads.flatMap(({ load, rounds }) =>
    (['service', 'rival'] as const).map((name) => {
      const turns = rounds.map((round) => round[name]);
      const memory = [...(turns[0]?.peakMiB.keys() ?? [])].map(
        (part) => `${part} ${median(turns.map(({ peakMiB }) => peakMiB.get(part) ?? 0)).toFixed(0)}`,
      );
      return [
        `${load}, ${name}`,
        median(turns.map(({ p50Ms }) => p50Ms / 1_000)).toFixed(2),
        name === 'service' ? ratio(rounds, ({ p50Ms }) => p50Ms) : '',
        median(turns.map(allPartsMs).map((ms) => ms / 1_000)).toFixed(2),
        Math.max(...turns.map(({ longestLivezMs }) => longestLivezMs)).toFixed(0),
        memory.join(', '),
      ];
    }),
  );
  const headings = ['package', 'seconds', 'time over rival', 'processor s', 'longest /livez ms', 'peak MiB'];
  printTable([headings, ...rows]);
}
