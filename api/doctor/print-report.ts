import type { ProbeStep } from '../../shared/process/probe-step.ts';

/** The results, by part. */
export type Report = Readonly<Record<string, readonly ProbeStep[]>>;

/** Whether every part works. */
export function areAllOk(report: Report): boolean {
  return Object.values(report)
    .flat()
    .every(({ ok }) => ok);
}

/** One line for each step, which can be searched; advice follows it. A step that is ok and has advice is a warning. */
export function asText(report: Report): string {
  const lines = Object.entries(report).flatMap(([part, steps]) =>
    steps.flatMap(({ step, ok, detail, advice }) => {
      const state = ok ? (advice === null ? 'ok' : 'warning') : 'failed';
      const line = `${state.padEnd(7)} ${part}: ${step}: ${detail}`;
      return advice === null ? [line] : [line, `        -> ${advice}`];
    }),
  );
  return [...lines, areAllOk(report) ? 'Every part works.' : 'Some steps failed.'].join('\n');
}
