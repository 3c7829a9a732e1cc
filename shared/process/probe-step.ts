import { PartProblem } from './part-problem.ts';

/** The result of one step of a probe. */
export interface Finding {
  readonly ok: boolean;
  /** The observation, or the problem. */
  readonly detail: string;
  /** The remedy for the operator; a step that is ok has advice if something can be improved. */
  readonly advice: string | null;
}

/** One thing that was tried with a part, and what came of it. */
export interface ProbeStep extends Finding {
  readonly step: string;
}

/** The steps of a part's probe, by name; text alone means that it worked. */
export type Probes = Readonly<Record<string, () => string | Finding | Promise<string | Finding>>>;

/** The advice is for what is not good; what is only advisable does not fail. */
export function finding(isGood: boolean, detail: string, advice: string, isAdvisable = false): Finding {
  return { ok: isGood || isAdvisable, detail, advice: isGood ? null : advice };
}

/** Tries one thing after the other; where the first fails, such as the connection, nothing else. `explain` says what an error means. */
export async function trySteps(
  probes: Probes,
  explain: (error: unknown) => unknown = (error) => error,
): Promise<readonly ProbeStep[]> {
  const steps: ProbeStep[] = [];
  for (const [step, probe] of Object.entries(probes)) {
    const found = await Promise.resolve()
      .then(probe)
      .catch((error: unknown) => failed(explain(error)));
    steps.push({ step, ...(typeof found === 'string' ? { ok: true, detail: found, advice: null } : found) });
    if (steps[0]?.ok === false) break;
  }
  return steps;
}

function failed(error: unknown): Finding {
  if (error instanceof PartProblem) return { ok: false, detail: error.problem, advice: error.advice };
  return { ok: false, detail: error instanceof Error ? error.message : String(error), advice: null };
}
