/** A change that was made, and when. */
export interface WrittenChange {
  /** Of `changeText`. */
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  /** The number of its calls without an answer: each may have made a further change. */
  readonly unanswered: number;
}

/** Types of which a repeated call makes a change more: another rule, or the same written again. */
const REPEATED: Readonly<Record<string, string>> = {
  'rule.created': 'rule.created',
  'rule.changed': 'rule.changed',
  'installation.created': 'installation.changed',
  'installation.changed': 'installation.changed',
};

const typeOf = (text: string) => text.slice(0, `${text} `.indexOf(' '));

/**
 * Matches the changes that a feed has of one writer, in the feed's order, with those that the writer made, in that order.
 * Returns for each of the feed which one of the writer it is, null for one that a call without an answer made, and adds
 * to `issues` what does not match.
 */
export function matchChanges(
  followed: readonly string[],
  written: readonly WrittenChange[],
  issues: string[],
): readonly (WrittenChange | null)[] {
  const more = written.map(({ unanswered }) => unanswered);
  const mayRepeat = (at: number, type: string) =>
    (more[at] ?? 0) > 0 && REPEATED[typeOf(written[at]?.text ?? '')] === type;
  let at = 0;
  const matched = followed.map((text) => {
    const next = written[at];
    if (next?.text === text) {
      at += 1;
      return next;
    }
    const repeated = [at, at - 1].find((each) => mayRepeat(each, typeOf(text)));
    if (repeated === undefined) issues.push(`the feed has "${text}" where "${next?.text ?? ''}" was made`);
    else more[repeated] = (more[repeated] ?? 0) - 1;
    return null;
  });
  if (at < written.length)
    issues.push(`${written.length - at} changes are missing from "${written[at]?.text ?? ''}" on`);
  return matched;
}

/** The number of changes in the feed after one that was requested only when they had been answered. */
export function countOvertaken(matched: readonly (WrittenChange | null)[]): number {
  let latestStartMs = -Infinity;
  let overtaken = 0;
  for (const change of matched) {
    if (change === null) continue;
    if (change.endMs < latestStartMs) overtaken += 1;
    latestStartMs = Math.max(latestStartMs, change.startMs);
  }
  return overtaken;
}
