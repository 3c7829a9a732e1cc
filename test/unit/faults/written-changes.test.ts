import { expect, test } from 'vitest';
import { countOvertaken, matchChanges, type WrittenChange } from '../../lab/faults/written-changes.ts';

const written = (text: string, members: Partial<WrittenChange> = {}): WrittenChange => ({
  ...{ text, startMs: 0, endMs: 1, unanswered: 0 },
  ...members,
});
const THREE = [written('structures.changed a'), written('rule.created r'), written('rule.deleted r')];

function issuesOf(followed: readonly string[], changes: readonly WrittenChange[] = THREE): readonly string[] {
  const issues: string[] = [];
  matchChanges(followed, changes, issues);
  return issues;
}

test('a feed with the changes that were made has no issue', () =>
  expect(issuesOf(THREE.map(({ text }) => text))).toEqual([]));

test.each([
  ['missing', ['structures.changed a', 'rule.deleted r']],
  ['missing at the end', ['structures.changed a', 'rule.created r']],
  ['there twice', ['structures.changed a', 'structures.changed a', 'rule.created r', 'rule.deleted r']],
  ['in another order', ['rule.created r', 'structures.changed a', 'rule.deleted r']],
  ['of another subject', ['structures.changed b', 'rule.created r', 'rule.deleted r']],
])('a change that is %s is an issue', (_, followed) => expect(issuesOf(followed)).not.toEqual([]));

test('a call without an answer may have made one rule more, and not two', () => {
  const changes = [written('rule.created r', { unanswered: 1 }), written('structures.changed a')];
  const made = (...more: string[]) => [...more, 'rule.created r', 'structures.changed a'];
  expect(issuesOf(made('rule.created x'), changes)).toEqual([]);
  expect(issuesOf(made('rule.created x', 'rule.created y'), changes)).toHaveLength(1);
  expect(issuesOf(made('rule.deleted x'), changes)).toHaveLength(1);
});

test('a change that was requested after the answer to another one cannot come before it', () => {
  const early = written('rule.created r', { startMs: 0, endMs: 10 });
  const beside = written('rule.created s', { startMs: 5, endMs: 15 });
  const late = written('rule.created t', { startMs: 20, endMs: 30 });
  expect(countOvertaken([beside, early, late])).toBe(0);
  expect(countOvertaken([late, null, early])).toBe(1);
});
