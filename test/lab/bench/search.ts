import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { openDatabase } from '../../../shared/db/database.ts';
import { migrate } from '../../../shared/db/migrate.ts';
import { ensureDatabase, startPostgres } from '../../../shared/local/postgres.ts';
import { seedMarket, type SeededMarket } from '../../support/seed-market.ts';
import { startTestIssuer } from '../../support/test-issuer.ts';
import { measure, printTable, type Measurement } from './measure.ts';
import { processorMs } from './process-tree.ts';
import { startProcess } from './start-process.ts';

const SIZE = { modules: 10_000, words: 120 };
const CALLS = 300;
const WARM_CALLS = 20;
const WANTED_P99_MS = 50;

/** The queries by what they are: each is for the first page of 50. */
function queriesOf({ categoryId, cropId }: SeededMarket): Readonly<Record<string, string>> {
  return {
    'a word of every description': 'query=farm',
    'a word of every name': 'query=module',
    'two words, each in a quarter': 'query=soil%20water',
    'a beginning of one letter': 'query=a',
    'a word of ten modules': 'query=orchard',
    'a word of none': 'query=zzzz',
    'a category': `categoryId=${categoryId}`,
    'a crop': `cropId=${cropId}`,
    'a word, a category and a crop': `query=farm&categoryId=${categoryId}&cropId=${cropId}`,
  };
}

interface Searched extends Measurement {
  /** For one call, in the API process and in PostgreSQL. */
  readonly processMs: number;
}

/** The search of a market of 10,000 modules, next to its list without a search, which has as many modules on its page. */
export async function benchSearch(): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'bench-search-'));
  const postgres = await startPostgres(path.join(folder, 'postgres'));
  const databaseUrl = await ensureDatabase(postgres.url, 'search');
  await migrate(databaseUrl);
  const database = openDatabase({ url: databaseUrl, poolSize: 2 });
  const market = await seedMarket(database, SIZE);
  await database.destroy();
  const issuer = await startTestIssuer();
  const api = startProcess('api/main.js', {
    DATABASE_URL: databaseUrl,
    DATA_DIR: path.join(folder, 'data'),
    AUTH_ISSUER: issuer.url,
    LOG_LEVEL: 'fatal',
    PORT: '0',
  });
  try {
    const url = `http://127.0.0.1:${await api.started}/api/v8.0/${market.farmerId}/availableModules`;
    const organizations = [{ id: market.farmerId, roles: ['OrganizationMember'] }];
    const token = await issuer.token({ subject: 'bench', organizations });
    const search = (query: string) => searched(`${url}?limit=50&${query}`, token, [api.pid, postgres.pid]);
    const floor = await search('');
    const rows = [
      ['first page of 50', 'p50', 'p99', 'wanted p99', 'p99 / list', 'processor time'],
      rowOf('the list, without a search', floor, floor),
    ];
    for (const [what, query] of Object.entries(queriesOf(market)))
      rows.push(rowOf(what, await search(query), floor));
    printTable(rows);
  } finally {
    await api.stop();
    await postgres.stop();
    await issuer.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function searched(url: string, token: string, pids: readonly number[]): Promise<Searched> {
  const headers = { Authorization: `Bearer ${token}` };
  const call = async () => {
    const answer = await fetch(url, { headers });
    if (answer.status !== 200) throw new Error(`the search answered ${answer.status}`);
    await answer.arrayBuffer();
  };
  await measure(WARM_CALLS, 1, call);
  const used = () => pids.reduce((sum, pid) => sum + processorMs(pid), 0);
  const before = used();
  const measured = await measure(CALLS, 1, call);
  return { ...measured, processMs: (used() - before) / CALLS };
}

function rowOf(what: string, { p50Ms, p99Ms, processMs }: Searched, floor: Searched): readonly string[] {
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  const ratio = (p99Ms / floor.p99Ms).toFixed(2);
  return [what, ms(p50Ms), ms(p99Ms), ms(WANTED_P99_MS), ratio, ms(processMs)];
}
