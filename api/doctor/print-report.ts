import { styleText } from 'node:util';
import type { ProbeStep } from '../../shared/process/probe-step.ts';
import type { PartReport } from './probe-parts.ts';

type State = 'ok' | 'warning' | 'failed';

/** A step that is ok and has advice is a warning. */
function stateOf({ ok, advice }: ProbeStep): State {
  if (!ok) return 'failed';
  return advice === null ? 'ok' : 'warning';
}

/** Whether every part works. */
export function areAllOk(reports: readonly PartReport[]): boolean {
  return reports.every(({ steps }) => steps.every(({ ok }) => ok));
}

/** The report for programs. */
export function asJson(reports: readonly PartReport[]): string {
  const parts = reports.map(({ part, steps }) => ({
    part,
    steps: steps.map(({ step, detail, advice, ...rest }) => ({
      step,
      state: stateOf({ step, detail, advice, ...rest }),
      detail,
      advice,
    })),
  }));
  return JSON.stringify({ ok: areAllOk(reports), parts }, null, 2);
}

/** One line for each step, which can be searched; advice follows it. */
export function asText(reports: readonly PartReport[]): string {
  const lines = reports.flatMap(({ part, steps }) =>
    steps.flatMap((step) => [
      `${stateOf(step).padEnd(7)} ${part}: ${step.step}: ${step.detail}`,
      ...(step.advice === null ? [] : [`        -> ${step.advice}`]),
    ]),
  );
  return [...lines, summaryOf(reports)].join('\n');
}

const MARKS = { ok: ['green', '✓'], warning: ['yellow', '!'], failed: ['red', '✗'] } as const;
const INDENT = 4;

/** A table for a terminal of this width. */
export function asTable(reports: readonly PartReport[], columns: number): string {
  const names = reports.flatMap(({ steps }) => steps.map(({ step }) => step.length));
  const nameWidth = Math.min(24, Math.max(...names));
  const blocks = reports.map(({ part, steps }) => {
    const rows = steps.map((step) => row(step, nameWidth, Math.max(columns, 60)));
    return [styleText('bold', part.charAt(0).toUpperCase() + part.slice(1)), ...rows].join('\n');
  });
  const color = areAllOk(reports) ? 'green' : 'red';
  return [...blocks, styleText(['bold', color], summaryOf(reports))].join('\n\n');
}

function row(step: ProbeStep, nameWidth: number, columns: number): string {
  const [color, mark] = MARKS[stateOf(step)];
  const start = INDENT + nameWidth + 2;
  const wrapped = (text: string) => wrap(text, columns - start - 2).join(`\n${' '.repeat(start)}`);
  const head = `  ${styleText(color, mark)} ${step.step.padEnd(nameWidth)}  ${wrapped(step.detail)}`;
  if (step.advice === null) return head;
  return `${head}\n${' '.repeat(start)}${styleText('cyan', wrapped(`→ ${step.advice}`))}`;
}

/** Breaks between words; a word that is too long has a line of its own, so that it can be copied. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function summaryOf(reports: readonly PartReport[]): string {
  const states = reports.flatMap(({ steps }) => steps.map(stateOf));
  const count = (state: State) => states.filter((each) => each === state).length;
  const warnings = count('warning');
  const failed = count('failed');
  const noted = warnings === 0 ? '' : `, ${warnings} to look at`;
  return failed === 0 ? `Every part works${noted}.` : `${failed} of ${states.length} steps failed${noted}.`;
}
