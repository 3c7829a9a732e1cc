import type { Command } from 'commander';
import { loadCatalogue } from '../catalogue/catalogue.ts';
import { ID_SETS, setsOfIds } from '../package/descriptor/catalogue-id-rules.ts';
import { DEFAULT_PACKAGE_LIMITS } from '../package/limits.ts';
import type { ValidationSettings } from '../package/package-report.ts';
import { CannotRunError } from './exit-codes.ts';
import { readCachedRules, readRules, writeCachedRules, type ServerRules } from './rules-cache.ts';
import { answered, openClient } from './server.ts';
import { ServerError } from './server-address.ts';
import { readSettings, type Cli, type Settings } from './settings.ts';
import { withSignIn } from './sign-in/signed-in.ts';

/** Maximum age of rules that are used without fetching them again. */
const FRESH_MS = 60 * 60_000;
const TIMEOUT_MS = 15_000;

/** Flags that select the limits and the catalogue for a validation. */
export interface RuleFlags {
  readonly server?: string;
  /** Of `import`, which has it for its upload. */
  readonly token?: string | undefined;
  readonly offline?: true;
  readonly refresh?: true;
}

/** Adds the flags that select the limits and the catalogue for a validation. */
export function addRuleFlags(command: Command): Command {
  return command
    .option('--server <url>', "use this server's limits and catalogue")
    .option('--refresh', 'fetch them again, even if they are cached')
    .option('--offline', 'use the built-in limits and catalogue');
}

/**
 * The limits and the catalogue of the configured server, otherwise the built-in ones.
 * @throws CannotRunError if those of the server cannot be fetched.
 */
export async function rulesInForce(
  cli: Cli,
  { server, token, offline, refresh }: RuleFlags,
): Promise<ValidationSettings> {
  const settings = offline === true ? null : await readSettings(cli, { server, token });
  if (settings === null || settings.server === null)
    return { limits: DEFAULT_PACKAGE_LIMITS, requiredFolders: [], catalogue: loadCatalogue() };
  const { server: address } = settings;
  const { limits, requiredFolders, ...known } = await serverRules(
    cli,
    { ...settings, server: address },
    refresh === true,
  );
  const catalogue = {
    englishId: known.englishId,
    languageIds: new Set(known.languageIds),
    dataAreaIds: new Set(known.dataAreaIds),
    documentTypes: new Set(known.documentTypes),
    deploymentTypes: new Set(known.deploymentTypes),
    setsOfIds: setsOfIds(Object.entries(known.idSets)),
  };
  return { limits, requiredFolders, catalogue };
}

/** From the cache if they are at most an hour old, otherwise fetched; older ones if the server is unavailable. */
async function serverRules(
  { environment, output }: Cli,
  settings: Settings & { readonly server: string },
  isRefreshed: boolean,
): Promise<ServerRules> {
  const { cacheFolder } = environment;
  const cached = await readCachedRules(cacheFolder, settings.server);
  if (cached !== null && !isRefreshed && Date.now() - cached.fetchedAtMs < FRESH_MS) return cached.rules;
  try {
    const rules = await fetchRules(await withSignIn(settings, { environment }));
    await writeCachedRules(cacheFolder, settings.server, rules).catch((error: unknown) =>
      output.warn(`The rules of the server were not cached: ${String(error)}`),
    );
    return rules;
  } catch (error) {
    if (!(error instanceof ServerError) || !error.isTemporary || cached === null) throw error;
    output.warn(`${error.message} Using the rules fetched at ${new Date(cached.fetchedAtMs).toISOString()}.`);
    return cached.rules;
  }
}

async function fetchRules(settings: Settings): Promise<ServerRules> {
  if (settings.token === null)
    throw new CannotRunError(
      `The catalogue of a server needs a token. Set MODULECTL_TOKEN, or use the built-in catalogue with --offline. To sign in, run: modulectl login --server ${String(settings.server)}`,
    );
  const client = openClient(settings);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const sets = (await answered(client.GET('/api/v8.0/CommonData', { signal }))).items.map(({ key }) => key);
  const entriesOf = async (set: string) =>
    sets.includes(set)
      ? (await answered(client.GET('/api/v8.0/CommonData/{set}', { params: { path: { set } }, signal })))
          .items
      : [];
  const limits = await answered(client.GET('/api/v8.0/limits', { signal }));
  const languages = await entriesOf('languages');
  const dataAreas = await entriesOf('dataAreas');
  const documentTypes = await entriesOf('documentTypes');
  const deploymentTypes = await entriesOf('deploymentTypes');
  const idSets: Record<string, readonly string[]> = {};
  for (const set of ID_SETS) idSets[set] = (await entriesOf(set)).map(({ id }) => id);
  const rules = readRules({
    limits,
    requiredFolders: limits.requiredFolders,
    englishId: languages.find(({ key }) => key === 'en')?.id,
    languageIds: languages.map(({ id }) => id),
    dataAreaIds: dataAreas.map(({ id }) => id),
    documentTypes: documentTypes.flatMap(({ id, key }) => [id, key]),
    deploymentTypes: deploymentTypes.map(({ key }) => key),
    idSets,
  });
  if (rules !== null) return rules;
  throw new CannotRunError('The server did not answer with limits and a catalogue. Is the address right?');
}
