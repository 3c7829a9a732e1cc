/** How often one operation ran in one interval. */
export interface Counted {
  readonly name: string;
  /** The program that runs it. */
  readonly group: string;
  readonly calls: number;
  /** The name it is known by. */
  readonly totalMs?: number;
}

/** The counts while imports ran, and in an idle interval of the same length. */
export interface Counts {
  readonly busy: readonly Counted[];
  readonly idle: readonly Counted[];
}

const SHOWN_LENGTH = 110;
/** Rarer operations are not part of an import: retries and scheduled tasks. */
const LEAST_SHOWN = 0.01;

function callsOf(counted: readonly Counted[]): number {
  return counted.reduce((sum, { calls }) => sum + calls, 0);
}

function namesOf(counted: readonly Counted[], of: (each: Counted) => string): readonly string[] {
  return [...new Set(counted.map(of))];
}

function toMarkdown([headings = [], ...rows]: readonly (readonly string[])[]): string {
  const alignments = headings.map((_, column) => (column === 0 ? '---' : '--:'));
  return [headings, alignments, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function shown(name: string): string {
  const short = name.length > SHOWN_LENGTH ? `${name.slice(0, SHOWN_LENGTH)} …` : name;
  return `\`${short.replaceAll('|', '\\|').replaceAll('`', "'")}\``;
}

function cells(busy: readonly Counted[], idle: readonly Counted[], imports: number): string[] {
  const calls = callsOf(busy);
  const ms = busy.reduce((sum, { totalMs = 0 }) => sum + totalMs, 0);
  const times = ms > 0 ? [(ms / calls).toFixed(3), (ms / imports).toFixed(3)] : [];
  return [(calls / imports).toFixed(2), ...times, String(callsOf(idle))];
}

/** A table of the counts, most frequent first, with a line for each group's total. */
export function countTable(what: string, { busy, idle }: Counts, imports: number): string {
  const hasTimes = busy.some(({ totalMs }) => totalMs !== undefined);
  const times = hasTimes ? ['mean ms', 'ms an import'] : [];
  const rows = [[what, 'calls an import', ...times, 'calls while idle']];
  for (const group of namesOf(busy, (each) => each.group).toSorted()) {
    const busyGroup = busy.filter((each) => each.group === group);
    const idleGroup = idle.filter((each) => each.group === group);
    rows.push([`**${group}: all**`, ...cells(busyGroup, idleGroup, imports)]);
    const names = namesOf(busyGroup, ({ name }) => name);
    // For a single name, the group's figures are the same.
    if (names.length === 1) continue;
    const byName = names.map((name) => {
      const named = (all: readonly Counted[]) => all.filter((each) => each.name === name);
      return { name, busy: named(busyGroup), idle: named(idleGroup) };
    });
    const often = byName.filter((each) => callsOf(each.busy) / imports >= LEAST_SHOWN);
    for (const each of often.toSorted((a, b) => callsOf(b.busy) - callsOf(a.busy)))
      rows.push([shown(each.name), ...cells(each.busy, each.idle, imports)]);
  }
  return toMarkdown(rows);
}
