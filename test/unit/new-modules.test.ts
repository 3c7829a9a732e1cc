import { expect, test } from 'vitest';
import type { RevisionWrite } from '../../shared/db/modules/write-revision.ts';
import { NewModules } from '../../shared/registration/new-modules.ts';

/** Writes that wait until the test answers them. */
function openWriter() {
  const statements: { readonly writes: readonly RevisionWrite[]; readonly answer: () => void }[] = [];
  const newModules = new NewModules(
    (writes) =>
      new Promise((resolve) => {
        statements.push({ writes, answer: () => resolve(writes.map(() => true)) });
      }),
  );
  return { statements, newModules };
}

function writeOf(organizationId: string, { files = 0, characters = 0 } = {}): RevisionWrite {
  return {
    next: { organizationId },
    files: Array.from({ length: files }),
    row: ' '.repeat(characters),
  } as unknown as RevisionWrite;
}

test('new modules of an organization that arrive while a statement runs are written by the next, and those of others at once', async () => {
  const { statements, newModules } = openWriter();
  const added = Array.from({ length: 4 }, () => newModules.add(writeOf('a')));
  added.push(newModules.add(writeOf('b')));
  expect(statements.map(({ writes }) => writes.length)).toEqual([1, 1]);
  statements[0]?.answer();
  await expect.poll(() => statements.length).toBe(3);
  expect(statements[2]?.writes.length).toBe(3);
  for (const { answer } of statements) answer();
  expect(await Promise.all(added)).toEqual(added.map(() => true));
});

test('new modules wait no longer for a statement that is not answered', async () => {
  const { statements, newModules } = openWriter();
  void newModules.add(writeOf('a'));
  void newModules.add(writeOf('a'));
  await expect.poll(() => statements.length).toBe(2);
});

test.for([
  ['sixteen', {}, [1, 16, 4]],
  ['those with a thousand files', { files: 300 }, [1, 3, 3, 3, 3, 3, 3, 2]],
  ['those with rows of a million characters', { characters: 300_000 }, [1, 3, 3, 3, 3, 3, 3, 2]],
  ['one that is larger', { files: 1_500 }, Array.from({ length: 21 }, () => 1)],
] as const)('a statement writes at most %s', async ([, size, expected]) => {
  const sizes: number[] = [];
  const newModules = new NewModules((writes) => {
    sizes.push(writes.length);
    return Promise.resolve(writes.map(() => true));
  });
  await Promise.all(Array.from({ length: 21 }, () => newModules.add(writeOf('a', size))));
  expect(sizes).toEqual(expected);
});
