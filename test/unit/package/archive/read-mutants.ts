import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildZip } from '../../../support/zip-builder.ts';
import { unicodePathField } from '../../../support/zip-bytes.ts';
import { mutant } from './mutate.ts';
import { type Reading, countingSource, readArchive } from './read-archive.ts';

const folder = join(import.meta.dirname, '../../../fixtures/zip/writers');

/** The mutants of good archives that are read; the same numbers make the same mutants. */
export interface Mutants {
  readonly seed: number;
  readonly first: number;
  readonly count: number;
}

/** By hand: `FUZZ_SEED=7 FUZZ_COUNT=200000`; one mutant again: `FUZZ_SEED=7 FUZZ_FIRST=1234 FUZZ_COUNT=1`. */
export function mutantsOf(environment: NodeJS.ProcessEnv): Mutants {
  const { FUZZ_SEED = 1, FUZZ_FIRST = 0, FUZZ_COUNT = 2_500 } = environment;
  return { seed: Number(FUZZ_SEED), first: Number(FUZZ_FIRST), count: Number(FUZZ_COUNT) };
}

/** A mutant, and how it is read. */
export interface ReadMutant {
  readonly id: number;
  readonly archive: Buffer;
  readonly reading: Reading;
}

/** Reads mutants one after the other. @throws Error where one ends otherwise than in a reading or in a report */
export async function* readMutants({ seed, first, count }: Mutants): AsyncGenerator<ReadMutant> {
  const archives = goodArchives();
  for (let id = first; id < first + count; id += 1) {
    const archive = mutant(archives, seed, id);
    const reading = await (id % 3 === 0
      ? readArchive(countingSource(archive, 37), {}, false)
      : readArchive(archive));
    yield { id, archive, reading };
  }
}

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
    buildZip([
      { path: './' },
      { path: './a', content: 'a' },
      { path: Buffer.from('./für.txt'), content: 'x' },
    ]),
    buildZip([{ path: 'z.zip', content: buildZip([{ path: 'x', content: 'y' }]), method: 'stored' }]),
    buildZip([
      { path: 'large', content: Buffer.alloc(300_000, 'abcdef') },
      { path: 'x', content: 'x' },
    ]),
  ];
}
