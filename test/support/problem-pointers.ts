import type { Answer } from './test-app.ts';

/** The locations of the errors that a problem document lists. */
export function pointersOf(answer: Answer): readonly string[] {
  return ((answer.body.errors ?? []) as { pointer: string }[]).map(({ pointer }) => pointer);
}
