import { hash } from 'node:crypto';
import type { Request } from 'express';
import { Type } from 'typebox';
import { findOwnStructures, findStillGranted, listGrants } from '../../shared/db/access/module-grants.ts';
import type { Database } from '../../shared/db/database.ts';
import type { StructureForm } from '../../shared/db/structures/read-structures.ts';
import { isGuid } from '../../shared/package/schema/schema-parts.ts';
import type { OrganizationAccess } from '../auth/access.ts';
import type { Call } from '../http/endpoint.ts';
import {
  makeCursor,
  MAX_LIMIT,
  openCursor,
  PAGE_QUERY,
  wrongCursor,
  type ListCall,
} from '../http/pagination.ts';
import type { ParameterValues } from '../http/request/parameters.ts';
import { boolean, inputGuid } from '../http/schema.ts';
import { dataAreaRefusal, type MachineCaller } from '../machine-access/caller.ts';
import {
  formOf,
  shortText,
  type FoundStructures,
  type StructuresAnswer,
  type StructuresFormat,
  type StructuresSource,
} from './structures-answer.ts';

/** The query of requests for structures. */
export const STRUCTURES_QUERY = { includeArchived: boolean('Whether to include archived structures.') };

/** The query of requests for what a module may read. */
export const MODULE_STRUCTURES_QUERY = {
  // Without a default: a client that sends the documented one would not get all organizations.
  limit: Type.Integer({
    minimum: 1,
    maximum: MAX_LIMIT,
    description: 'The largest number of organizations to return. Default: all of them.',
  }),
  cursor: PAGE_QUERY.cursor,
  organizationId: inputGuid('Only structures of this organization.'),
  ...STRUCTURES_QUERY,
};

/** Finds the structures that a module may read. @throws ProblemError 400 for an invalid cursor. */
export function findForModule(
  call: Call<MachineCaller, string, typeof MODULE_STRUCTURES_QUERY, undefined>,
): StructuresSource {
  const { api, request, caller, query } = call;
  const { moduleId, dataAreaId } = caller;
  const { limit = null, organizationId = null } = query;
  const filter = { moduleId, dataAreaId, organizationId, after: cursorId(call), limit };
  const representation = representationOf(request, query);
  const listed = async (form: StructureForm | null) => {
    const found = form === null ? await api.structures.grants.read(JSON.stringify(filter), filter) : 'many';
    return found === 'many' ? listGrants(api.database, filter, form) : found;
  };
  const find = async (form: StructureForm | null) => {
    const found = await listed(form);
    if (found === null) throw await dataAreaRefusal(api, caller, 'FarmOrganization');
    const grants = limit === null ? found : found.slice(0, limit);
    const last = grants.length < found.length ? grants.at(-1) : undefined;
    const nextCursor = last === undefined ? null : makeCursor(call, last.organizationId);
    return toFound({ moduleId, ...representation, grants, nextCursor }, form);
  };
  return {
    find: (withBody) =>
      withBody
        ? api.structures.reads.read(JSON.stringify([filter, representation]), () =>
            find(formOf(representation.format)),
          )
        : find(null),
    findStillGranted: (ids) => findStillGranted(api.database, caller, ids),
  };
}

/** Finds a farmer's own structures. */
export function findOwn({
  api,
  request,
  caller: { organization, authority },
  query,
}: Call<OrganizationAccess, string, typeof STRUCTURES_QUERY, undefined>): StructuresSource {
  const representation = representationOf(request, query);
  return {
    async find(withBody) {
      const form = withBody ? formOf(representation.format) : null;
      const grants = await findOwnStructures(api.database, organization.id, form);
      return toFound({ moduleId: null, ...representation, grants, nextCursor: null }, form);
    },
    findStillGranted: async (ids) => ((await api.access.holds(authority)) ? new Set(ids) : null),
  };
}

function representationOf(
  request: Request,
  { includeArchived = false }: ParameterValues<typeof STRUCTURES_QUERY>,
) {
  return { format: formatOf(request), withArchived: includeArchived };
}

function toFound(answer: StructuresAnswer, form: StructureForm | null): FoundStructures {
  const text = form === null ? null : shortText(answer);
  return { answer, etag: `W/"${versionOf(answer)}"`, body: text === null ? null : Buffer.from(text) };
}

const FORMATS = ['json', 'ndjson', 'geojson'] as const satisfies readonly StructuresFormat[];

/** The versions of a farmer's own structures, one for each form, as in their ETags. */
export async function currentVersions(
  database: Database,
  organizationId: string,
): Promise<readonly string[]> {
  const grants = await findOwnStructures(database, organizationId, null);
  return FORMATS.flatMap((format) =>
    [false, true].map((withArchived) =>
      versionOf({ moduleId: null, nextCursor: null, format, withArchived, grants }),
    ),
  );
}

/** For an ETag that does not need the body: from the organizations, the state of their structures, and the form. */
function versionOf({ moduleId, format, withArchived, grants, nextCursor }: StructuresAnswer): string {
  const read = grants.map(
    ({ organizationId, organizationName, version }) => `\0${organizationId} ${version} ${organizationName}`,
  );
  return hash(
    'sha256',
    JSON.stringify([moduleId, format, withArchived, nextCursor]) + read.join(''),
    'base64url',
  );
}

function formatOf(request: Request): StructuresFormat {
  const accepted = request.accepts(['application/json', 'application/x-ndjson', 'application/geo+json']);
  if (accepted === 'application/x-ndjson') return 'ndjson';
  return accepted === 'application/geo+json' ? 'geojson' : 'json';
}

function cursorId(call: ListCall): string | null {
  const id = openCursor(call);
  if (id === null || isGuid(id)) return id;
  throw wrongCursor();
}
