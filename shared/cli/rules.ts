import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { catalogueSets } from '../catalogue/catalogue-file.ts';
import { catalogueWith, loadCatalogue, type Catalogue } from '../catalogue/catalogue.ts';
import { ID_SETS } from '../package/descriptor/catalogue-id-rules.ts';
import { PACKAGE_FOLDERS } from '../package/layout/package-folders.ts';
import { DEFAULT_PACKAGE_LIMITS } from '../package/limits.ts';
import type { ValidationSettings } from '../package/package-report.ts';
import { isMembers, parseMembers } from '../package/schema/read-members.ts';
import type { GivenFlags } from './command.ts';
import { CannotRunError } from './exit-codes.ts';
import type { Output } from './output.ts';
import { answered, openClient } from './server.ts';
import { readSettings, type Cli, type Settings } from './settings.ts';
import { lastServer, readSignIns, withSignIn } from './sign-in/stored-sign-ins.ts';
import { writeWhole } from './temporary.ts';

/** Maximum age of rules that are used without fetching them again. */
const FRESH_MS = 60 * 60_000;
const TIMEOUT_MS = 15_000;
/** The sets of the catalogue that packages refer to. */
const SETS = new Set(['documentTypes', 'deploymentTypes', ...ID_SETS]);

/** A server's limits and the sets of its catalogue. */
export interface ServerRules {
  readonly limits: unknown;
  readonly sets: unknown;
}

/** The rules of a validation, with the catalogue by key. */
export interface Rules extends ValidationSettings {
  readonly byKey: Catalogue;
}

/** The rules that a command uses. */
export interface RulesInForce extends Rules {
  /** The server that they are from; null if they are built in. */
  readonly server: string | null;
  /** The catalogue's origin for people. */
  readonly origin: string;
}

/** Rules of a server, and when they were fetched. */
export interface CachedRules {
  readonly fetchedAtMs: number;
  readonly rules: Rules;
}

/** The flags that select the limits and the catalogue for a validation. */
export const RULE_FLAGS = {
  '--server <url>': "use this server's limits and catalogue",
  '--refresh': 'fetch them again, even if they are cached',
  '--offline': 'use the built-in limits and catalogue',
};

/** Says which server's catalogue a command uses. Without a server it is always the built-in one. */
export function reportOrigin({ server, origin }: RulesInForce, output: Output): void {
  if (server !== null) output.say(`IDs: ${origin}`);
}

/**
 * The limits and the catalogue of the server that is set, or that the vendor is signed in to; otherwise the built-in ones.
 * `import` has a token for its upload.
 * @throws CannotRunError if those of a server that is set cannot be fetched and are not cached, unless `fallsBack`.
 */
export async function rulesInForce(
  cli: Cli,
  flags: GivenFlags<typeof RULE_FLAGS> & { readonly token?: string | undefined },
  { fallsBack = false } = {},
): Promise<RulesInForce> {
  if (flags.offline === true) return builtIn();
  const settings = await readSettings(cli, { server: flags.server, token: flags.token });
  const server = settings.server ?? (await signedInServer(cli));
  if (server === null) return builtIn();
  const cached = await readCachedRules(cli.environment.cacheFolder, server);
  const isFresh = cached !== null && Date.now() - cached.fetchedAtMs < FRESH_MS;
  if (isFresh && flags.refresh !== true) return fetchedFrom(server, cached);
  try {
    return await fetchAndCache(cli, { ...settings, server });
  } catch (error) {
    if (!(error instanceof CannotRunError)) throw error;
    if (cached !== null) {
      cli.output.warn(`${error.message} Using the rules fetched at ${fetchTime(cached)}.`);
      return fetchedFrom(server, cached);
    }
    if (settings.server !== null && !fallsBack) throw error;
    cli.output.warn(`${error.message} Using the built-in limits and catalogue.`);
    return builtIn();
  }
}

function builtIn(): RulesInForce {
  const rules = rulesOf(DEFAULT_PACKAGE_LIMITS, [], loadCatalogue());
  return { ...rules, server: null, origin: 'the built-in catalogue' };
}

function rulesOf(
  limits: ValidationSettings['limits'],
  requiredFolders: ValidationSettings['requiredFolders'],
  byKey: Catalogue,
): Rules {
  return { limits, requiredFolders, catalogue: byKey.forPackages, byKey };
}

function fetchedFrom(server: string, cached: CachedRules): RulesInForce {
  return { ...cached.rules, server, origin: `the catalogue of ${server}, fetched at ${fetchTime(cached)}` };
}

function fetchTime({ fetchedAtMs }: CachedRules): string {
  return new Date(fetchedAtMs).toISOString();
}

/** The server of the last sign-in; null if there is none, or the sign-ins cannot be read. */
async function signedInServer({ environment, output }: Cli): Promise<string | null> {
  return lastServer(
    await readSignIns(environment.signInsFile).catch((error: unknown) => {
      output.warn(error instanceof Error ? error.message : String(error));
      return {};
    }),
  );
}

async function fetchAndCache(
  { environment, output }: Cli,
  settings: Settings & { readonly server: string },
): Promise<RulesInForce> {
  const answers = await fetchRules(await withSignIn(settings, { environment }));
  const rules = readRules(answers);
  if (rules === null)
    throw new CannotRunError('The server did not answer with limits and a catalogue. Is the address right?');
  await writeCachedRules(environment.cacheFolder, settings.server, answers).catch((error: unknown) =>
    output.warn(`The rules of the server were not cached: ${String(error)}`),
  );
  return fetchedFrom(settings.server, { fetchedAtMs: Date.now(), rules });
}

/** The catalogue has fewer sets. */
const WHOLE_PAGE = { query: { limit: 200 } };

async function fetchRules(settings: Settings): Promise<ServerRules> {
  if (settings.token === null)
    throw new CannotRunError(
      `The catalogue of a server needs a token. Set MODULECTL_TOKEN, or use the built-in catalogue with --offline. To sign in, run: modulectl login --server ${String(settings.server)}`,
    );
  const client = openClient(settings);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const { items } = await answered(client.GET('/api/v8.0/CommonData', { params: WHOLE_PAGE, signal }));
  const limits = await answered(client.GET('/api/v8.0/limits', { signal }));
  const recommended = new Set<string>(limits.recommendedLanguageIds);
  const sets: Record<string, unknown> = {};
  for (const { key: set } of items.filter(({ key }) => SETS.has(key))) {
    const call = client.GET('/api/v8.0/CommonData/{set}', { params: { path: { set } }, signal });
    const { items: entries } = await answered(call);
    // A newer server may answer with more members.
    const known = ({ id, key, value, description, parent }: (typeof entries)[number]) => {
      const entry = { id, key, value, description, parent };
      return set === 'languages' ? { ...entry, recommended: recommended.has(id) } : entry;
    };
    sets[set] = entries.map(known);
  }
  return { limits, sets };
}

/** Rules from the answers of a server or the cache; null if they are not valid. */
export function readRules({ limits: answer, sets: answers }: ServerRules): Rules | null {
  const members = isMembers(answer) ? answer : {};
  const limits = { ...DEFAULT_PACKAGE_LIMITS };
  for (const name of Object.keys(limits)) {
    const limit = members[name];
    if (typeof limit !== 'number' || !Number.isSafeInteger(limit) || limit < 0) return null;
    Object.assign(limits, { [name]: limit });
  }
  const folders: unknown = members['requiredFolders'];
  const sets = catalogueSets(answers);
  if (!Array.isArray(folders) || sets === null) return null;
  const requiredFolders = PACKAGE_FOLDERS.filter((each) => folders.includes(each));
  return rulesOf(limits, requiredFolders, catalogueWith(sets));
}

/** One file per server. Its name is a hash, so that no address can leave the folder. */
function cacheFile(folder: string, server: string): string {
  const name = createHash('sha256').update(server).digest('hex').slice(0, 32);
  return path.join(folder, `rules-${name}.json`);
}

/** The cached rules of a server; null if there are none that can be read. */
export async function readCachedRules(folder: string, server: string): Promise<CachedRules | null> {
  const text = await readFile(cacheFile(folder, server), 'utf8').catch(() => '');
  const cached = parseMembers(text);
  if (cached?.['server'] !== server) return null;
  const { fetchedAtMs, limits, sets } = cached;
  // A time in the future would stay fresh forever.
  if (typeof fetchedAtMs !== 'number' || !(fetchedAtMs <= Date.now())) return null;
  const rules = readRules({ limits, sets });
  return rules === null ? null : { fetchedAtMs, rules };
}

/** Caches a server's answers atomically: another process reads the old file or the new one. */
export async function writeCachedRules(folder: string, server: string, answers: ServerRules): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const text = JSON.stringify({ server, fetchedAtMs: Date.now(), ...answers });
  await writeWhole(cacheFile(folder, server), (half) => writeFile(half, text));
}
