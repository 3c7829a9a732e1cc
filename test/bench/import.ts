import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { migrate } from '../../shared/db/migrate.ts';
import { ensureDatabase, startPostgres } from '../../shared/local/postgres.ts';
import { openFloor, preparePackages } from './import-floor.ts';
import type { ImportFloor } from './import-floor.ts';
import { largePackage, smallPackage } from './import-packages.ts';
import { startService, uploadBody } from './import-service.ts';
import type { BenchService } from './import-service.ts';
import { measureEach, printTable } from './measure.ts';
import type { Measurement } from './measure.ts';

/** One row: which packages, clients at once, and imports measured with so many. */
interface Round {
  readonly packages: string;
  readonly make: () => Buffer;
  readonly clients: number;
  readonly imports: number;
}

const SMALL = { packages: '20 KB, 10 files', make: smallPackage };
const LARGE = { packages: '10 MB, 300 files', make: largePackage };
const WARM_UP: Round = { ...SMALL, clients: 8, imports: 100 };
const ROUNDS: readonly Round[] = [
  { ...SMALL, clients: 1, imports: 150 },
  { ...SMALL, clients: 8, imports: 500 },
  { ...SMALL, clients: 32, imports: 1_000 },
  { ...LARGE, clients: 1, imports: 15 },
];
const HEADINGS = [
  'package',
  'clients',
  'imports/s',
  'p50 ms',
  'p99 ms',
  'floor/s',
  'p50 ms',
  'p99 ms',
  'ratio',
];

/**
 * Imports per second of the service (API and worker as processes of their own, clients in this one)
 * beside its floor on the same parts in the same run: as many objects with the same bytes and syncs, one
 * queue round trip and one transaction of the same rows, in one process with no service around them.
 */
export async function benchImport(): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'bench-import-'));
  const postgres = await startPostgres(path.join(folder, 'postgres'), { fsync: true });
  const serviceUrl = await ensureDatabase(postgres.url, 'service');
  const floorUrl = await ensureDatabase(postgres.url, 'floor');
  await migrate(serviceUrl);
  await migrate(floorUrl);
  const service = await startService({
    databaseUrl: serviceUrl,
    settings: { DATA_DIR: path.join(folder, 'service') },
  });
  const floor = await openFloor(floorUrl, path.join(folder, 'floor'));
  try {
    await measureRound(service, floor, WARM_UP);
    const rows = [HEADINGS];
    for (const round of ROUNDS) {
      const { ours, lowest } = await measureRound(service, floor, round);
      const ratio = (ours.perSecond / lowest.perSecond).toFixed(2);
      rows.push([round.packages, String(round.clients), ...cells(ours), ...cells(lowest), ratio]);
    }
    printTable(rows);
  } finally {
    await floor.close();
    await service.stop();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Everything is made before anything is measured, on both sides: making a package is the client's work. */
async function measureRound(
  service: BenchService,
  floor: ImportFloor,
  { make, clients, imports }: Round,
): Promise<{ readonly ours: Measurement; readonly lowest: Measurement }> {
  const packages = Array.from({ length: imports }, make);
  const bodies = packages.map(uploadBody);
  const prepared = await preparePackages(packages);
  return {
    ours: await measureEach(bodies, clients, service.importOne),
    lowest: await measureEach(prepared, clients, floor.importOne),
  };
}

/** Rates below ten need a digit behind the point. */
function cells({ perSecond, p50Ms, p99Ms }: Measurement): string[] {
  return [perSecond.toFixed(perSecond < 10 ? 1 : 0), p50Ms.toFixed(1), p99Ms.toFixed(1)];
}
