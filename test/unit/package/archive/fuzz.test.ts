import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { buildZip } from '../../../support/zip-builder.ts';
import { unicodePathField } from '../../../support/zip-bytes.ts';
import { mutant } from './mutate.ts';
import type { Reading } from './read-archive.ts';
import { countingSource, readArchive } from './read-archive.ts';

// By hand: FUZZ_SEED=7 FUZZ_COUNT=200000 npx vitest run test/unit/package/archive/fuzz.test.ts
// One mutant again: FUZZ_SEED=7 FUZZ_FIRST=1234 FUZZ_COUNT=1 …
const seed = Number(process.env['FUZZ_SEED'] ?? 1);
const first = Number(process.env['FUZZ_FIRST'] ?? 0);
const count = Number(process.env['FUZZ_COUNT'] ?? 2500);

const BATCH = 2500;
const SLOWEST_MS = 5000;
const folder = join(import.meta.dirname, '../../../fixtures/zip/writers');
const hasPython = spawnSync('python3', ['--version']).status === 0;

function goodArchives(): Buffer[] {
  const samples = readdirSync(folder).filter((name) => name.endsWith('.zip'));
  const name = Buffer.from('für.txt');
  return [
    ...samples.sort().map((each) => readFileSync(join(folder, each))),
    buildZip([{ path: 'a', content: 'a' }, { path: 'b/' }, { path: 'b/c', content: 'c'.repeat(99) }]),
    buildZip([{ path: 'a', content: 'abc', zip64: true, descriptor: 'signed64' }], { zip64: true }),
    buildZip([
      { path: 'a', content: 'abc', method: 'stored', descriptor: 'unsigned' },
      { path: 'b', descriptor: 'signed' },
    ]),
    buildZip([{ path: name, content: 'x', centralExtra: unicodePathField('für.txt', name) }], {
      comment: 'comment',
    }),
    buildZip([{ path: 'z.zip', content: buildZip([{ path: 'x', content: 'y' }]), method: 'stored' }]),
    buildZip([
      { path: 'large', content: Buffer.alloc(300_000, 'abcdef') },
      { path: 'x', content: 'x' },
    ]),
  ];
}

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
  if (!hasPython || inputs.length === 0) return { disagreements: [], compared: [0, 0] };
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

async function readMutant(
  archives: readonly Buffer[],
  id: number,
): Promise<{ archive: Buffer; reading: Reading }> {
  const archive = mutant(archives, seed, id);
  const start = performance.now();
  const reading = await (id % 3 === 0
    ? readArchive(countingSource(archive, 37), {}, false)
    : readArchive(archive));
  expect(performance.now() - start, `mutant ${id} takes too long`).toBeLessThan(SLOWEST_MS);
  for (const problem of reading.problems) {
    expect(problem.code, `mutant ${id}`).toMatch(/^archive-/);
    expect(problem.detail.length, `mutant ${id}`).toBeGreaterThan(20);
  }
  return { archive, reading };
}

test(
  `${count} mutants of good archives, seed ${seed}, end in a report or are read as other readers read them`,
  async () => {
    const archives = goodArchives();
    const disagreements: unknown[] = [];
    let accepted = 0;
    const compared = [0, 0];
    for (let from = first; from < first + count; from += BATCH) {
      const inputs: Buffer[] = [];
      for (let id = from; id < Math.min(from + BATCH, first + count); id++) {
        const { archive, reading } = await readMutant(archives, id);
        if (reading.problems.length > 0) continue;
        accepted++;
        inputs.push(inputLines(id, archive, reading));
      }
      const answer = compareWithOthers(inputs);
      disagreements.push(...answer.disagreements);
      compared[0]! += answer.compared[0] ?? 0;
      compared[1]! += answer.compared[1] ?? 0;
    }
    process.stdout.write(
      `fuzz: seed ${seed}, ${count} mutants, ${accepted} accepted, compared with zipfile ${compared[0]!}, with unzip ${compared[1]!}\n`,
    );
    expect(disagreements).toEqual([]);
    expect(accepted).toBeGreaterThan(0);
  },
  30_000 + count * 20,
);
