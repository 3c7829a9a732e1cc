import { benchArchive } from './archive/archive.ts';
import { benchFiles } from './files.ts';
import { benchHostile } from './hostile/hostile.ts';
import { benchImport } from './import/import.ts';
import { benchMachineAccess } from './machine-access/machine-access.ts';
import { benchReleases } from './releases/releases.ts';
import { benchSearch } from './search.ts';
import { benchOutbox } from './outbox.ts';
import { benchStalls } from './stalls.ts';
import { benchStatements } from './import/statements.ts';
import { benchWebhooks } from './webhooks.ts';
import { benchWorkers } from './workers.ts';

/** The benchmarks by name: `npm run bench -- import`. */
const BENCHMARKS: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  import: benchImport,
  archive: benchArchive,
  'machine-access': benchMachineAccess,
  files: benchFiles,
  search: benchSearch,
  workers: benchWorkers,
  statements: benchStatements,
  hostile: benchHostile,
  stalls: benchStalls,
  releases: benchReleases,
  webhooks: benchWebhooks,
  outbox: benchOutbox,
};

const [name = '', ...args] = process.argv.slice(2);
const bench = BENCHMARKS[name];
if (bench === undefined) {
  console.error(`usage: npm run bench -- ${Object.keys(BENCHMARKS).join(' | ')}`);
  process.exitCode = 2;
} else {
  await bench(args);
}
