import { PartProblem } from './part-problem.ts';

/** One thing that was tried with a part, and what came of it. */
export interface ProbeStep {
  readonly step: string;
  readonly ok: boolean;
  /** What was seen, or what is wrong. */
  readonly detail: string;
  /** What the operator does about it; a step that is ok has advice where something should be better. */
  readonly advice: string | null;
}

/** What a step found; text alone means that it worked. */
export type Finding =
  string | { readonly ok: boolean; readonly detail: string; readonly advice: string | null };

/** What an error means. */
export type ExplainError = (error: unknown) => Pick<ProbeStep, 'detail' | 'advice'>;

/** Tries one thing; an error is its result. */
export async function tryStep(
  step: string,
  act: () => Promise<Finding>,
  explain: ExplainError = explainError,
): Promise<ProbeStep> {
  try {
    const found = await act();
    return typeof found === 'string' ? { step, ok: true, detail: found, advice: null } : { step, ...found };
  } catch (error) {
    return { step, ok: false, ...explain(error) };
  }
}

function explainError(error: unknown): Pick<ProbeStep, 'detail' | 'advice'> {
  if (error instanceof PartProblem) return { detail: error.problem, advice: error.advice };
  return { detail: error instanceof Error ? error.message : String(error), advice: null };
}
