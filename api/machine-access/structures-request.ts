import { createHash } from 'node:crypto';
import type { Request } from 'express';
import { findOwnStructures, listOpenings } from '../../shared/db/module-openings.ts';
import type { Opening } from '../../shared/db/module-openings.ts';
import { isGuid } from '../../shared/package/schemas/schema-parts.ts';
import type { ApiContext } from '../api-context.ts';
import { flagQuery, guidQuery, ProblemError } from '../http.ts';
import { limitQuery } from '../lists.ts';
import { dataAreaMissing } from './caller.ts';
import type { MachineCaller } from './caller.ts';
import type { StructuresAnswer, StructuresFormat } from './structures-answer.ts';

/** Up to here an answer is put together in memory and sent at once. */
const SMALL_BYTES = 256 * 1024;
/** Farms, fields and the like add their brackets to each structure. */
const BYTES_AROUND_STRUCTURE = 64;

/**
 * What a request for structures is answered with, before any structure is read.
 * @throws ProblemError 400, or 403 when the module does not declare the data area.
 */
export async function structuresAnswer(
  api: ApiContext,
  request: Request,
  { moduleId, dataAreaId }: MachineCaller,
): Promise<StructuresAnswer> {
  const limit = request.query['limit'] === undefined ? null : limitQuery(request);
  const found = await listOpenings(api.database, {
    moduleId,
    dataAreaId,
    organizationId: guidQuery(request, 'organizationId'),
    after: cursorQuery(request),
    // One more than asked for tells whether there is a next page.
    limit: limit === null ? null : limit + 1,
  });
  if (found === null) throw dataAreaMissing('FarmOrganization');
  const openings = limit === null ? found : found.slice(0, limit);
  const last = openings.at(-1);
  const hasMore = openings.length < found.length && last !== undefined;
  return {
    moduleId,
    ...representation(request, openings),
    nextCursor: hasMore ? Buffer.from(last.organizationId).toString('base64url') : null,
  };
}

/** What a farmer's request for its own structures is answered with. */
export async function ownStructuresAnswer(
  api: ApiContext,
  request: Request,
  organizationId: string,
): Promise<StructuresAnswer> {
  const openings = await findOwnStructures(api.database, organizationId);
  return { moduleId: null, ...representation(request, openings), nextCursor: null };
}

function representation(request: Request, openings: readonly Opening[]) {
  const bytes = openings.reduce(
    (sum, each) => sum + each.bytes + each.structures * BYTES_AROUND_STRUCTURE,
    0,
  );
  return {
    format: formatOf(request),
    withArchived: flagQuery(request, 'includeArchived'),
    openings,
    isSmall: bytes <= SMALL_BYTES,
  };
}

/** What tells two answers apart, known before the body: whose structures, in which state, in which form. */
export function structuresTag({
  moduleId,
  format,
  withArchived,
  openings,
  nextCursor,
}: StructuresAnswer): string {
  const hash = createHash('sha256').update(JSON.stringify([moduleId, format, withArchived, nextCursor]));
  for (const { organizationId, organizationName, version } of openings)
    hash.update(`\0${organizationId} ${version} ${organizationName}`);
  return `W/"${hash.digest('base64url')}"`;
}

function formatOf(request: Request): StructuresFormat {
  const accepted = request.accepts(['application/json', 'application/x-ndjson', 'application/geo+json']);
  if (accepted === 'application/x-ndjson') return 'ndjson';
  return accepted === 'application/geo+json' ? 'geojson' : 'json';
}

function cursorQuery(request: Request): string | null {
  const value = request.query['cursor'];
  if (value === undefined) return null;
  const id = typeof value === 'string' ? Buffer.from(value, 'base64url').toString() : '';
  if (isGuid(id)) return id.toLowerCase();
  throw new ProblemError('request-invalid', 'cursor must be the nextCursor of an earlier page.');
}
