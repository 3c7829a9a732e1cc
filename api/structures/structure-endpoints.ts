import type { Request } from 'express';
import {
  AS_THEY_ARE,
  eraseStructures,
  writeStructures,
  type RequireExpected,
  type WrittenStructures,
} from '../../shared/db/structures/write-structures.ts';
import type { FoundStructures } from '../../shared/structures/structure-change.ts';
import type { TaskRunner } from '../../shared/threads/tasks.ts';
import { actorOf, type OrganizationAccess } from '../auth/access.ts';
import { farmerAdmin, farmerMember } from '../auth/endpoint-access.ts';
import type { ApiContext } from '../context.ts';
import { json, ok } from '../http/answer.ts';
import { ProblemError } from '../http/problem.ts';
import { text } from '../http/schema.ts';
import { deleteEndpoint, endpoint, tagged } from '../http/endpoint.ts';
import { bodyProblemOf, receivedJsonBody } from '../http/request/json-body.ts';
import { allowedTags, IF_NONE_MATCH } from '../http/request/conditional-request.ts';
import type { JsonTasks } from '../json-tasks.ts';
import { sendStructures, structuresAnswers } from './send-structures.ts';
import { inputStructures } from './structure-input-schemas.ts';
import { featureCollection, ownStructures, writeResult } from './structure-schemas.ts';
import { currentVersions, findOwn, STRUCTURES_QUERY } from './structures-request.ts';

const path = '/api/v8.0/{orgId}/structures';

const read = endpoint('get', path, {
  id: 'readStructures',
  summary: 'Read farms',
  access: farmerMember,
  query: STRUCTURES_QUERY,
  headers: IF_NONE_MATCH,
  answers: structuresAnswers(ownStructures, featureCollection),
  async handle(call) {
    const { id } = call.caller.organization;
    return sendStructures(call, findOwn(call), { id, organizationId: id });
  },
});

const NO_TAG =
  'If-Match must be an ETag of the structures, in its quotes, as GET …/structures returned it, or *.';

const IF_MATCH = {
  'If-Match': text(
    'Make the change only if the structures are those of this `ETag`, or of one of a comma-separated list.',
  ),
};

/** Compares the structures with those that If-Match names. @throws ProblemError 412; 400 for another header */
function expectedBy(request: Request, organizationId: string): RequireExpected {
  const allowed = allowedTags(request, NO_TAG);
  if (allowed === null || allowed.length === 0) return AS_THEY_ARE;
  return async (transaction) => {
    const current = await currentVersions(transaction, organizationId);
    if (!allowed.some((each) => current.includes(each)))
      throw new ProblemError(
        'structures-changed',
        'The structures are not those of If-Match. Nothing was changed.',
      );
  };
}

const write = endpoint('put', path, {
  id: 'writeStructures',
  summary: 'Create or update farms',
  description:
    'Creates or updates structures by ID; structures that the body omits are kept. The body is stored whole or ' +
    'not at all.',
  access: farmerAdmin,
  headers: IF_MATCH,
  body: receivedJsonBody('Farms, or a GeoJSON FeatureCollection.', inputStructures),
  answers: { 200: json('The numbers of created, updated and unchanged structures.', writeResult) },
  problems: ['quota-exceeded', 'structures-changed'],
  recordsChanges: true,
  async handle({ api, request, caller, body }) {
    const expected = expectedBy(request, caller.organization.id);
    return ok(await api.jsonBodies.use(body, (tasks) => writeBody(api, caller, body.bytes, tasks, expected)));
  },
});

const erase = deleteEndpoint(path, {
  id: 'deleteStructures',
  summary: 'Delete all farms',
  access: farmerAdmin,
  headers: IF_MATCH,
  problems: ['request-invalid', 'structures-changed'],
  recordsChanges: true,
  async handle({ api, request, caller }) {
    const { id } = caller.organization;
    await eraseStructures(api.database, id, actorOf(caller), expectedBy(request, id));
  },
});

/** The farm structures of a farmer's organization. */
export const STRUCTURE_ENDPOINTS = tagged('Farm structures', [read, write, erase]);

/** Writes the structures of a body. @throws ProblemError 400 with its issues */
async function writeBody(
  { database, organizationLimits }: ApiContext,
  caller: OrganizationAccess,
  bytes: Uint8Array,
  tasks: TaskRunner<JsonTasks>,
  expected: RequireExpected,
): Promise<WrittenStructures> {
  const refusal = await tasks.run('read', { bytes });
  if (refusal !== null) throw bodyProblemOf(refusal);
  const { maxStructuresPerOrganization: max } = await organizationLimits.of(caller.organization.id);
  const actor = { ...actorOf(caller), max };
  const next = (found: FoundStructures | null) => tasks.run('nextStep', found);
  const written = await writeStructures(database, caller.organization.id, next, actor, expected);
  if (written !== null) return written;
  throw bodyProblemOf(await tasks.run('issues', undefined));
}
