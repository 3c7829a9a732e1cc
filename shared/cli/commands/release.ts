import { InvalidArgumentError, type Command } from 'commander';
import type { components } from '../../client/openapi-types.ts';
import { CannotRunError } from '../exit-codes.ts';
import { releaseRows, RELEASE_COLUMNS } from '../release-rows.ts';
import { addServerFlags, answered, openVendor, type ServerFlags, type VendorSession } from '../server.ts';
import type { Cli } from '../settings.ts';

type Releases = components['schemas']['ModuleReleases'];

interface ShownFlags extends ServerFlags {
  readonly json?: true;
}

interface ReleaseFlags extends ShownFlags {
  readonly preview?: readonly string[];
  readonly to?: readonly string[];
  readonly percent?: number;
  readonly endPreview?: true;
}

/** A module of the session's organization. */
interface OpenModule {
  readonly session: VendorSession;
  readonly path: { readonly orgId: string; readonly moduleId: string };
}

const MODULE = '/api/v8.0/{orgId}/modules/{moduleId}';
const PAGE_ITEMS = 200;

async function openModule(moduleId: string, flags: ServerFlags, cli: Cli): Promise<OpenModule> {
  const session = await openVendor(cli, flags);
  return { session, path: { orgId: session.organizationId, moduleId } };
}

async function readReleases({ session, path }: OpenModule): Promise<Releases> {
  return answered(session.client.GET(`${MODULE}/releases`, { params: { path } }));
}

/** The newest revisions, which are those that somebody may want to release. */
async function readRevisions({ session, path }: OpenModule) {
  const query = { limit: PAGE_ITEMS };
  const { items } = await answered(session.client.GET(`${MODULE}/revisions`, { params: { path, query } }));
  return items;
}

async function showReleases(
  module: OpenModule,
  releases: Releases,
  { json }: ShownFlags,
  { output }: Cli,
): Promise<void> {
  if (json === true) output.json(releases);
  else output.list(releaseRows(releases, await readRevisions(module)), false, RELEASE_COLUMNS);
}

async function list(moduleId: string, flags: ShownFlags, cli: Cli): Promise<void> {
  const module = await openModule(moduleId, flags, cli);
  const releases = await readReleases(module);
  const { releasePolicy, withdrawal, deprecation, quarantine } = releases;
  await showReleases(module, releases, flags, cli);
  if (releasePolicy === 'manual') cli.output.say('Imports are staged until you release them.');
  if (withdrawal !== null) cli.output.say(`Withdrawn: ${withdrawal.reason}`);
  if (deprecation !== null) cli.output.say(`Deprecated: ${deprecation.message}`);
  if (quarantine !== null) cli.output.warn(`An operator has stopped the module: ${quarantine.reason}`);
}

async function release(
  moduleId: string,
  given: number | undefined,
  flags: ReleaseFlags,
  cli: Cli,
): Promise<void> {
  const { preview = [], endPreview, to = [], percent } = flags;
  const isPreview = preview.length > 0 || endPreview === true;
  const isRing = to.length > 0 || percent !== undefined;
  if (isPreview && isRing)
    throw new CannotRunError('--preview shows a staged revision, --to and --percent release it. Use one.');
  const module = await openModule(moduleId, flags, cli);
  const revision = given ?? (await readReleases(module)).newestRevision;
  const call = isPreview
    ? setPreviewers(module, revision, endPreview === true ? [] : preview)
    : releaseRevision(module, revision, {
        ...(to.length > 0 && { organizationIds: [...to] }),
        ...(percent !== undefined && { percent }),
      });
  const releases = await call;
  const what = isPreview ? 'The previewers of' : isRing ? 'The ring sees' : 'Everyone sees';
  cli.output.say(`${what} revision ${revision}${isPreview ? ' are set' : ''}.`);
  await showReleases(module, releases, flags, cli);
}

async function releaseRevision(
  { session, path }: OpenModule,
  revision: number,
  body: { organizationIds?: string[]; percent?: number },
): Promise<Releases> {
  const params = { path: { ...path, revision: String(revision) } };
  return answered(session.client.POST(`${MODULE}/revisions/{revision}/release`, { params, body }));
}

async function setPreviewers(
  { session, path }: OpenModule,
  revision: number,
  organizationIds: readonly string[],
): Promise<Releases> {
  const params = { path: { ...path, revision: String(revision) } };
  const body = { organizationIds: [...organizationIds] };
  return answered(session.client.PUT(`${MODULE}/revisions/{revision}/previewers`, { params, body }));
}

async function rollBack(
  moduleId: string,
  given: number | undefined,
  flags: ShownFlags,
  cli: Cli,
): Promise<void> {
  const module = await openModule(moduleId, flags, cli);
  const releases = await readReleases(module);
  const revision = given ?? (await revisionBefore(module, releases));
  const newestSeen = Math.max(releases.currentRevision ?? 0, releases.ring?.revision ?? 0);
  if (revision >= newestSeen)
    throw new CannotRunError(
      `Revision ${revision} is not older than what farmers see. To release it, run: modulectl release`,
    );
  const changed = await releaseRevision(module, revision, {});
  cli.output.say(`Everyone sees revision ${revision} again.`);
  await showReleases(module, changed, flags, cli);
}

/** What farmers saw before: without a ring, the newest released revision that is older than the current one. */
async function revisionBefore(module: OpenModule, { currentRevision, ring }: Releases): Promise<number> {
  if (ring !== null && currentRevision !== null && ring.revision > currentRevision) return currentRevision;
  const older = (await readRevisions(module)).find(
    ({ revision, releasedAt }) => releasedAt !== null && revision < (currentRevision ?? 0),
  );
  if (older !== undefined) return older.revision;
  throw new CannotRunError('No older revision was ever released. To see all: modulectl modules releases');
}

/** Adds one value of a flag that may be repeated. */
function repeated(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Use a whole number, such as 3.');
}

/** `modulectl modules releases`: who sees which revision. */
export function addReleases(modules: Command, cli: Cli): void {
  const command = modules
    .command('releases')
    .description('List the revisions of a module, and who sees which.')
    .argument('<module>', 'ID of the module')
    .option('--json', 'output the JSON of the server');
  addServerFlags(command).action((moduleId: string, flags: ShownFlags) => list(moduleId, flags, cli));
}

/** `modulectl release` and `modulectl rollback`. */
export function addRelease(program: Command, cli: Cli): void {
  const releasing = program
    .command('release')
    .summary('show a revision to some farmers, or to everyone')
    .description('Release a revision: to everyone, or first to some organizations.')
    .argument('<module>', 'ID of the module')
    .argument('[revision]', 'number of the revision (default: the newest)', wholeNumber)
    .option('--preview <organization>', 'only show it to this one, staged; repeatable', repeated)
    .option('--end-preview', 'show the staged revision to nobody')
    .option('--to <organization>', 'release it to this one before everyone; repeatable', repeated)
    .option('--percent <number>', 'release it to this share of all before everyone', wholeNumber)
    .option('--json', 'output the JSON of the server');
  addServerFlags(releasing).action((moduleId: string, revision: number | undefined, flags: ReleaseFlags) =>
    release(moduleId, revision, flags, cli),
  );
  const rolling = program
    .command('rollback')
    .summary('release an older revision to everyone')
    .description(
      'Release an older revision to everyone, within a second. Without its number, a\n' +
        'ring ends, or everyone gets the revision released before the current one.',
    )
    .argument('<module>', 'ID of the module')
    .argument('[revision]', 'number of the revision', wholeNumber)
    .option('--json', 'output the JSON of the server');
  addServerFlags(rolling).action((moduleId: string, revision: number | undefined, flags: ShownFlags) =>
    rollBack(moduleId, revision, flags, cli),
  );
}
