import { createHash } from 'node:crypto';
import type { Request } from 'express';
import { findOwnStructures, listOpenings } from '../../shared/db/access/module-grants.ts';
import type { StructureForm } from '../../shared/db/structures/read-structures.ts';
import { isGuid } from '../../shared/package/schema/schema-parts.ts';
import type { ApiContext } from '../context.ts';
import { flagQuery, guidQuery, ProblemError } from '../http/problem.ts';
import { limitQuery } from '../http/pagination.ts';
import type { SharedReads } from '../http/shared-reads.ts';
import { dataAreaMissing } from '../machine-access/caller.ts';
import type { MachineCaller } from '../machine-access/caller.ts';
import { formOf, shortText } from './structures-answer.ts';
import type { StructuresAnswer, StructuresFormat } from './structures-answer.ts';

/** An answer before it is sent. */
export interface FoundStructures {
  readonly answer: StructuresAnswer;
  readonly etag: string;
  /** The whole answer; null where it was not asked for or is too long to be in memory. */
  readonly body: Buffer | null;
}

/**
 * Finds what a request is answered with: the state of the structures and, where `withBody`, a short body of
 * that state.
 * @throws ProblemError 403 when the module does not declare the data area.
 */
export type FindStructures = (withBody: boolean) => Promise<FoundStructures>;

/** How a module's back end is answered. @throws ProblemError 400 where the address has a wrong parameter. */
export function findForModule(
  api: ApiContext,
  reads: SharedReads<FoundStructures>,
  request: Request,
  { moduleId, dataAreaId }: MachineCaller,
): FindStructures {
  const limit = request.query['limit'] === undefined ? null : limitQuery(request);
  const organizationId = guidQuery(request, 'organizationId');
  const filter = { moduleId, dataAreaId, organizationId, after: cursorQuery(request), limit };
  const representation = representationOf(request);
  const find = async (form: StructureForm | null) => {
    const found = await listOpenings(api.database, filter, form);
    if (found === null) throw dataAreaMissing('FarmOrganization');
    const openings = limit === null ? found : found.slice(0, limit);
    const last = openings.length < found.length ? openings.at(-1) : undefined;
    const nextCursor = last === undefined ? null : Buffer.from(last.organizationId).toString('base64url');
    return toFound({ moduleId, ...representation, openings, nextCursor }, form);
  };
  return (withBody) =>
    reads.read(JSON.stringify([filter, representation, withBody]), () =>
      find(withBody ? formOf(representation.format) : null),
    );
}

/** How a farmer's request for its own structures is answered. */
export function findOwn(api: ApiContext, request: Request, organizationId: string): FindStructures {
  const representation = representationOf(request);
  return async (withBody) => {
    const form = withBody ? formOf(representation.format) : null;
    const openings = await findOwnStructures(api.database, organizationId, form);
    return toFound({ moduleId: null, ...representation, openings, nextCursor: null }, form);
  };
}

function representationOf(request: Request) {
  return { format: formatOf(request), withArchived: flagQuery(request, 'includeArchived') };
}

function toFound(answer: StructuresAnswer, form: StructureForm | null): FoundStructures {
  const text = form === null ? null : shortText(answer);
  return { answer, etag: structuresTag(answer), body: text === null ? null : Buffer.from(text) };
}

/** What tells two answers apart, known before the body: whose structures, in which state, in which form. */
function structuresTag({ moduleId, format, withArchived, openings, nextCursor }: StructuresAnswer): string {
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
