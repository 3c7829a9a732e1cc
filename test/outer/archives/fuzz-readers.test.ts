import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Reading } from '../../unit/package/archive/read-archive.ts';
import { mutantsOf, readMutants } from '../../unit/package/archive/read-mutants.ts';

const mutants = mutantsOf(process.env);

/** An accepted archive as this service reads it, in the form for comparison with the other readers. */
function inputLines(id: number, archive: Buffer, reading: Reading): Buffer {
  const files = [...reading.files].map(([path, content]) => [
    path,
    createHash('sha256').update(content).digest('hex'),
  ]);
  const line = {
    id,
    bytes: archive.length,
    files: Object.fromEntries(files) as unknown,
    folders: reading.entries.filter(({ isFolder }) => isFolder).map(({ path }) => path),
    hasUnicodePath: archive.includes('up', 0, 'latin1'),
  };
  return Buffer.concat([Buffer.from(`${JSON.stringify(line)}\n`), archive]);
}

function compareWithOthers(inputs: readonly Buffer[]): { disagreements: unknown[]; compared: number[] } {
  const run = spawnSync('python3', [join(import.meta.dirname, 'other_readers.py')], {
    input: Buffer.concat(inputs),
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (run.status !== 0) throw new Error(run.stderr);
  const lines = run.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { compared?: number[] });
  return {
    disagreements: lines.filter((line) => line.compared === undefined),
    compared: lines.at(-1)?.compared ?? [],
  };
}

test(`of ${mutants.count} mutants, seed ${mutants.seed}, what is accepted is read as other readers read it`, async () => {
  const inputs: Buffer[] = [];
  for await (const { id, archive, reading } of readMutants(mutants))
    if (reading.problems.length === 0) inputs.push(inputLines(id, archive, reading));
  const { disagreements, compared } = compareWithOthers(inputs);
  expect(disagreements).toEqual([]);
  // With Python's zipfile and with unzip.
  for (const count of compared) expect(count).toBeGreaterThan(0);
});
