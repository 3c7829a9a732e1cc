import type { ValidationSettings } from '../package/package-report.ts';
import type { Cli } from './cli.ts';
import { CannotRunError } from './exit-codes.ts';
import { readMembers, readRules } from './read-rules.ts';
import type { ServerRules } from './read-rules.ts';
import { readCachedRules, writeCachedRules } from './rules-cache.ts';
import { askServer, ServerUnreachableError } from './server-request.ts';
import type { Settings } from './settings.ts';

/** Rules this old are taken without asking again. */
const FRESH_MS = 60 * 60_000;

/**
 * The limits and the catalogue of a server: from the cache when they are an hour old at most, else asked
 * for, and an older answer where the server is out of reach.
 * @throws CannotRunError when they cannot be had.
 */
export async function serverRules(
  cli: Cli,
  { server, token }: Settings & { readonly server: string },
  isRefreshed: boolean,
): Promise<ValidationSettings> {
  const { environment, output } = cli;
  const cached = await readCachedRules(environment.cacheFolder, server);
  if (cached !== null && !isRefreshed && Date.now() - cached.fetchedAtMs < FRESH_MS)
    return settingsOf(cached.rules);
  try {
    const rules = await fetchRules(server, token);
    await writeCachedRules(environment.cacheFolder, server, rules).catch((error: unknown) => {
      output.warn(`The rules of the server were not cached: ${String(error)}`);
    });
    return settingsOf(rules);
  } catch (error) {
    if (!(error instanceof ServerUnreachableError) || cached === null) throw error;
    const since = new Date(cached.fetchedAtMs).toISOString();
    output.warn(`${error.message} Judged by what it said at ${since}.`);
    return settingsOf(cached.rules);
  }
}

function settingsOf({ limits, requiredFolders, englishId, languageIds, dataAreaIds }: ServerRules) {
  const catalogue = {
    englishId,
    languageIds: new Set(languageIds),
    dataAreaIds: new Set(dataAreaIds),
  };
  return { limits, requiredFolders, catalogue };
}

async function fetchRules(server: string, token: string | null): Promise<ServerRules> {
  const limits = await askServer(server, '/api/v8.0/limits', null);
  if (token === null)
    throw new CannotRunError(
      'The catalogue of a server needs a token: set MODULECTL_TOKEN, or judge by what is shipped with --offline.',
    );
  const languages = itemsOf(await askServer(server, '/api/v8.0/CommonData/languages', token));
  const dataAreas = itemsOf(await askServer(server, '/api/v8.0/CommonData/dataAreas', token));
  const rules = readRules({
    ...readMembers(limits),
    limits,
    englishId: languages.find(({ key }) => key === 'en')?.id,
    languageIds: languages.map(({ id }) => id),
    dataAreaIds: dataAreas.map(({ id }) => id),
  });
  if (rules === null)
    throw new CannotRunError(
      `${server} answered something else than limits and a catalogue. Is the address right?`,
    );
  return rules;
}

function itemsOf(answer: unknown): { id: unknown; key: unknown }[] {
  const { items } = readMembers(answer);
  const list: readonly unknown[] = Array.isArray(items) ? items : [];
  return list.map(readMembers).map(({ id, key }) => ({ id, key }));
}
