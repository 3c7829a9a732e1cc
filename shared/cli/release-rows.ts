import type { components } from '../client/openapi-types.ts';
import { countOf } from './report-text.ts';

type Releases = components['schemas']['ModuleReleases'];
type Revision = components['schemas']['Revision'];

/** A revision, and who sees it. */
export interface ReleaseRow {
  readonly revision: number;
  readonly state: string;
  /** For people. */
  readonly seenBy: string;
  readonly createdAt: string;
}

/** The columns of a table of them. */
export const RELEASE_COLUMNS: Readonly<Record<string, (row: ReleaseRow) => string>> = {
  revision: (row) => String(row.revision),
  state: (row) => row.state,
  'seen by': (row) => row.seenBy,
  'created (UTC)': (row) => row.createdAt.slice(0, 19).replace('T', ' '),
};

/** The state of each revision, in the order given. */
export function releaseRows(releases: Releases, revisions: readonly Revision[]): ReleaseRow[] {
  return revisions.map(({ revision, releasedAt, createdAt }) => ({
    ...{ revision, createdAt },
    ...stateOf(releases, revision, releasedAt !== null),
  }));
}

function stateOf(
  { currentRevision, ring, previews }: Releases,
  revision: number,
  wasReleased: boolean,
): Pick<ReleaseRow, 'state' | 'seenBy'> {
  if (revision === currentRevision)
    return { state: 'current', seenBy: ring === null ? 'everyone' : 'everyone else' };
  if (ring?.revision === revision) {
    const parts = [
      ring.percent !== null && `${ring.percent} % of all`,
      ring.organizationIds.length > 0 && countOf(ring.organizationIds.length, 'named organization'),
    ];
    return { state: 'ring', seenBy: parts.filter((part) => part !== false).join(' and ') };
  }
  if (wasReleased) return { state: 'released', seenBy: 'nobody' };
  const previewers = previews.find((each) => each.revision === revision)?.organizationIds ?? [];
  return previewers.length === 0
    ? { state: 'staged', seenBy: 'nobody' }
    : { state: 'preview', seenBy: countOf(previewers.length, 'named organization') };
}
