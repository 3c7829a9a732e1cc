import {
  eraseStructures,
  writeStructures,
  type WrittenStructures,
} from '../../shared/db/structures/write-structures.ts';
import type { FoundStructures } from '../../shared/structures/structure-change.ts';
import type { TaskRunner } from '../../shared/threads/tasks.ts';
import { actorOf, type OrganizationAccess } from '../auth/access.ts';
import { farmerAdmin, farmerMember } from '../auth/endpoint-access.ts';
import type { ApiContext } from '../context.ts';
import { json, ok } from '../http/answer.ts';
import { deleteEndpoint, endpoint, tagged } from '../http/endpoint.ts';
import { bodyProblemOf, receivedJsonBody } from '../http/request/json-body.ts';
import { IF_NONE_MATCH } from '../http/request/conditional-request.ts';
import type { JsonTasks } from '../json-tasks.ts';
import { sendStructures, structuresAnswers } from './send-structures.ts';
import { inputStructures } from './structure-input-schemas.ts';
import { featureCollection, ownStructures, writeResult } from './structure-schemas.ts';
import { findOwn, STRUCTURES_QUERY } from './structures-request.ts';

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

const write = endpoint('put', path, {
  id: 'writeStructures',
  summary: 'Create or update farms',
  description:
    'Creates or updates structures by ID; structures that the body omits are kept. The body is stored whole or ' +
    'not at all.',
  access: farmerAdmin,
  body: receivedJsonBody('Farms, or a GeoJSON FeatureCollection.', inputStructures),
  answers: { 200: json('The numbers of created, updated and unchanged structures.', writeResult) },
  problems: ['quota-exceeded'],
  recordsChanges: true,
  async handle({ api, caller, body }) {
    return ok(await api.jsonBodies.use(body, (tasks) => writeBody(api, caller, body.bytes, tasks)));
  },
});

const erase = deleteEndpoint(path, {
  id: 'deleteStructures',
  summary: 'Delete all farms',
  access: farmerAdmin,
  recordsChanges: true,
  async handle({ api, caller }) {
    await eraseStructures(api.database, caller.organization.id, actorOf(caller));
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
): Promise<WrittenStructures> {
  const refusal = await tasks.run('read', { bytes });
  if (refusal !== null) throw bodyProblemOf(refusal);
  const { maxStructuresPerOrganization: max } = await organizationLimits.of(caller.organization.id);
  const actor = { ...actorOf(caller), max };
  const next = (found: FoundStructures | null) => tasks.run('nextStep', found);
  const written = await writeStructures(database, caller.organization.id, next, actor);
  if (written !== null) return written;
  throw bodyProblemOf(await tasks.run('issues', undefined));
}
