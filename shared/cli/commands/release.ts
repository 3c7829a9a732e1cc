import type { components } from '../../client/openapi-types.ts';
import { defined, JSON_FLAG, vendorCommand, wholeNumber } from '../command.ts';
import { MODULE } from '../names.ts';
import { CannotRunError } from '../exit-codes.ts';
import { timeOf, type Output } from '../output.ts';
import { countOf } from '../report-text.ts';
import { answered, type VendorSession } from '../server.ts';

type Releases = components['schemas']['ModuleReleases'];
type Revision = components['schemas']['Revision'];

/** A module of the session's organization. */
interface OpenModule extends VendorSession {
  readonly path: { readonly orgId: string; readonly moduleId: string };
}

const ONE = '/api/v8.0/{orgId}/modules/{moduleId}';
const PAGE_ITEMS = 200;

async function readReleases({ client, path }: OpenModule): Promise<Releases> {
  return answered(client.GET(`${ONE}/releases`, { params: { path } }));
}

/** The newest revisions, newest first, which are those that somebody may want to release. */
async function readRevisions({ client, path }: OpenModule): Promise<readonly Revision[]> {
  const query = { limit: PAGE_ITEMS };
  return (await answered(client.GET(`${ONE}/revisions`, { params: { path, query } }))).items;
}

/** The newest revision that was not deleted: a number is not assigned again. */
async function newestRevision(module: OpenModule): Promise<number> {
  const [newest] = await readRevisions(module);
  if (newest !== undefined) return newest.revision;
  throw new CannotRunError('The module has no revision.');
}

async function showReleases(
  releases: Releases,
  { output, ...module }: OpenModule & { readonly output: Output },
): Promise<void> {
  const rows = (await readRevisions(module)).map((each) => ({ ...each, ...stateOf(releases, each) }));
  output.table(rows, {
    revision: (row) => String(row.revision),
    state: (row) => row.state,
    'seen by': (row) => row.seenBy,
    'created (UTC)': (row) => timeOf(row.createdAt),
  });
}

/** The state of a revision, and who sees it. */
function stateOf(
  { currentRevision, ring, previews }: Releases,
  { revision, releasedAt }: Revision,
): { readonly state: string; readonly seenBy: string } {
  if (revision === currentRevision)
    return { state: 'current', seenBy: ring === null ? 'everyone' : 'everyone else' };
  if (ring?.revision === revision) {
    const parts = [
      ring.percent !== null && `${ring.percent} % of all`,
      ring.organizationIds.length > 0 && countOf(ring.organizationIds.length, 'named organization'),
    ];
    return { state: 'ring', seenBy: parts.filter((part) => part !== false).join(' and ') };
  }
  if (releasedAt !== null) return { state: 'released', seenBy: 'nobody' };
  const previewers = previews.find((each) => each.revision === revision)?.organizationIds ?? [];
  return previewers.length === 0
    ? { state: 'staged', seenBy: 'nobody' }
    : { state: 'preview', seenBy: countOf(previewers.length, 'named organization') };
}

/** `modulectl modules releases`: who sees which revision. */
export const releases = vendorCommand({
  name: 'releases',
  description: 'List the revisions of a module, and who sees which.',
  args: MODULE,
  flags: JSON_FLAG,
  call: readReleases,
  async show(found, vendor) {
    const { releasePolicy, withdrawal, deprecation, quarantine } = found;
    const { output } = vendor;
    await showReleases(found, vendor);
    if (releasePolicy === 'manual') output.say('Imports are staged until you release them.');
    if (withdrawal !== null) output.say(`Withdrawn: ${withdrawal.reason}`);
    if (deprecation !== null) output.say(`Deprecated: ${deprecation.message}`);
    if (quarantine !== null) output.warn(`An operator has stopped the module: ${quarantine.reason}`);
  },
});

async function releaseRevision(
  { client, path }: OpenModule,
  revision: number,
  body: { readonly organizationIds?: string[]; readonly percent?: number } = {},
): Promise<Releases> {
  const params = { path: { ...path, revision: String(revision) } };
  return answered(client.POST(`${ONE}/revisions/{revision}/release`, { params, body }));
}

/** `modulectl release`: shows a revision to some farmers, or to everyone. */
export const release = vendorCommand({
  name: 'release',
  summary: 'show a revision to some farmers, or to everyone',
  description: 'Release a revision: to everyone, or first to some organizations.',
  args: {
    ...MODULE,
    revision: {
      usage: '[revision]',
      text: 'number of the revision (default: the newest)',
      read: wholeNumber,
    },
  },
  page: ({ moduleId }) => `modules/${moduleId}/releases`,
  flags: {
    '--preview <organization>': { text: 'only show it to this one, staged; repeatable', isRepeated: true },
    '--end-preview': 'show the staged revision to nobody',
    '--to <organization>': { text: 'release it to this one before everyone; repeatable', isRepeated: true },
    '--percent <number>': { text: 'release it to this share of all before everyone', read: wholeNumber },
    ...JSON_FLAG,
  },
  async call(module, { revision: given, preview = [], endPreview, to = [], percent }) {
    const isPreview = preview.length > 0 || endPreview === true;
    const isRing = to.length > 0 || percent !== undefined;
    if (isPreview && isRing)
      throw new CannotRunError('--preview shows a staged revision, --to and --percent release it. Use one.');
    const revision = given ?? (await newestRevision(module));
    const ring = { ...(to.length > 0 && { organizationIds: [...to] }), ...defined({ percent }) };
    if (!isPreview) {
      const changed = await releaseRevision(module, revision, ring);
      module.output.say(`${isRing ? 'The ring' : 'Everyone'} sees revision ${revision}.`);
      return changed;
    }
    const params = { path: { ...module.path, revision: String(revision) } };
    const body = { organizationIds: endPreview === true ? [] : [...preview] };
    const call = module.client.PUT(`${ONE}/revisions/{revision}/previewers`, { params, body });
    const changed = await answered(call);
    module.output.say(`The previewers of revision ${revision} are set.`);
    return changed;
  },
  show: showReleases,
});

/** `modulectl rollback`: releases an older revision to everyone. */
export const rollback = vendorCommand({
  name: 'rollback',
  summary: 'release an older revision to everyone',
  description:
    'Release an older revision to everyone, within a second. Without its number, a\n' +
    'ring ends, or everyone gets the older revision that they had last.',
  args: {
    ...MODULE,
    revision: { usage: '[revision]', text: 'number of the revision', read: wholeNumber },
  },
  page: ({ moduleId }) => `modules/${moduleId}/releases`,
  flags: JSON_FLAG,
  async call(module, { revision: given }) {
    const before = await readReleases(module);
    const revision = given ?? (await revisionBefore(module, before));
    const newestSeen = Math.max(before.currentRevision ?? 0, before.ring?.revision ?? 0);
    if (revision >= newestSeen)
      throw new CannotRunError(
        `Revision ${revision} is not older than what farmers see. To release it, run: modulectl release`,
      );
    const changed = await releaseRevision(module, revision);
    module.output.say(`Everyone sees revision ${revision} again.`);
    return changed;
  },
  show: showReleases,
});

/** The previous revision: without a ring, the older revision that everyone had last. */
async function revisionBefore(module: OpenModule, { currentRevision, ring }: Releases): Promise<number> {
  if (ring !== null && currentRevision !== null && ring.revision > currentRevision) return currentRevision;
  const older = (await readRevisions(module)).flatMap(({ revision, becameCurrentAt }) =>
    becameCurrentAt === null || revision >= (currentRevision ?? 0)
      ? []
      : [{ revision, atMs: Date.parse(becameCurrentAt) }],
  );
  const last = older.toSorted((a, b) => b.atMs - a.atMs)[0];
  if (last !== undefined) return last.revision;
  throw new CannotRunError(
    'No older revision was ever released to everyone. To see all: modulectl modules releases',
  );
}
