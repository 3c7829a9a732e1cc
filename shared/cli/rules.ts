import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { loadCatalogue } from '../catalogue/catalogue.ts';
import { ID_SETS } from '../package/descriptor/catalogue-id-rules.ts';
import { PACKAGE_FOLDERS } from '../package/layout/package-folders.ts';
import { DEFAULT_PACKAGE_LIMITS } from '../package/limits.ts';
import type { ValidationSettings } from '../package/package-report.ts';
import { isMembers, parseMembers } from '../package/schema/read-members.ts';
import type { GivenFlags } from './command.ts';
import { CannotRunError, ServerError } from './exit-codes.ts';
import { answered, openClient } from './server.ts';
import { readSettings, type Cli, type Settings } from './settings.ts';
import { withSignIn } from './sign-in/stored-sign-ins.ts';
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

/** Rules of a server, and when they were fetched. */
export interface CachedRules {
  readonly fetchedAtMs: number;
  readonly rules: ValidationSettings;
}

/** The flags that select the limits and the catalogue for a validation. */
export const RULE_FLAGS = {
  '--server <url>': "use this server's limits and catalogue",
  '--refresh': 'fetch them again, even if they are cached',
  '--offline': 'use the built-in limits and catalogue',
};

/**
 * The limits and the catalogue of the configured server, otherwise the built-in ones. `import` has a token for its upload.
 * @throws CannotRunError if those of the server cannot be fetched.
 */
export async function rulesInForce(
  cli: Cli,
  {
    server: given,
    token,
    offline,
    refresh,
  }: GivenFlags<typeof RULE_FLAGS> & { readonly token?: string | undefined },
): Promise<ValidationSettings> {
  const settings = offline === true ? null : await readSettings(cli, { server: given, token });
  if (settings === null || settings.server === null)
    return { limits: DEFAULT_PACKAGE_LIMITS, requiredFolders: [], catalogue: loadCatalogue().forPackages };
  return rulesOfServer(cli, { ...settings, server: settings.server }, refresh === true);
}

/** From the cache if they are at most an hour old, otherwise fetched; older ones if the server is unavailable. */
async function rulesOfServer(
  { environment, output }: Cli,
  settings: Settings & { readonly server: string },
  isRefreshed: boolean,
): Promise<ValidationSettings> {
  const { cacheFolder } = environment;
  const { server } = settings;
  const cached = await readCachedRules(cacheFolder, server);
  if (cached !== null && !isRefreshed && Date.now() - cached.fetchedAtMs < FRESH_MS) return cached.rules;
  try {
    const answers = await fetchRules(await withSignIn(settings, { environment }));
    const rules = readRules(answers);
    if (rules === null)
      throw new CannotRunError(
        'The server did not answer with limits and a catalogue. Is the address right?',
      );
    await writeCachedRules(cacheFolder, server, answers).catch((error: unknown) =>
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
  const { items } = await answered(client.GET('/api/v8.0/CommonData', { signal }));
  const limits = await answered(client.GET('/api/v8.0/limits', { signal }));
  const sets: Record<string, unknown> = {};
  for (const { key: set } of items.filter(({ key }) => SETS.has(key))) {
    const call = client.GET('/api/v8.0/CommonData/{set}', { params: { path: { set } }, signal });
    sets[set] = (await answered(call)).items;
  }
  return { limits, sets };
}

/** Rules from the answers of a server or the cache; null if they are not valid. */
export function readRules({ limits: answer, sets }: ServerRules): ValidationSettings | null {
  const members = isMembers(answer) ? answer : {};
  const limits = { ...DEFAULT_PACKAGE_LIMITS };
  for (const name of Object.keys(limits)) {
    const limit = members[name];
    if (typeof limit !== 'number' || !Number.isSafeInteger(limit) || limit < 0) return null;
    Object.assign(limits, { [name]: limit });
  }
  const folders: unknown = members['requiredFolders'];
  if (!Array.isArray(folders) || !isMembers(sets)) return null;
  const requiredFolders = PACKAGE_FOLDERS.filter((each) => folders.includes(each));
  try {
    return { limits, requiredFolders, catalogue: loadCatalogue(JSON.stringify(sets)).forPackages };
  } catch {
    return null;
  }
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
