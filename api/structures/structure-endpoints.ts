import { setImmediate as nextTurn } from 'node:timers/promises';
import { Type } from 'typebox';
import { eraseStructures, writeStructures } from '../../shared/db/structures/write-structures.ts';
import { IssueList } from '../../shared/structures/issue-list.ts';
import { flattenFarms } from '../../shared/structures/flatten-farms.ts';
import { flattenFeatures } from '../../shared/structures/flatten-features.ts';
import type { FlatStructure, FlatStructures } from '../../shared/structures/flat-structure.ts';
import { farmerAdmin, farmerMember } from '../auth/endpoint-access.ts';
import { DELETED, json, NO_CONTENT, ok } from '../http/answer.ts';
import { endpoint } from '../http/endpoint.ts';
import { bodyProblem, jsonBody } from '../http/json-body.ts';
import { IF_NONE_MATCH } from '../http/conditional.ts';
import { sendStructures, structuresAnswers } from './send-structures.ts';
import { featureCollection, ownStructures, writeResult, inputStructures } from './structure-schemas.ts';
import { findOwn, STRUCTURES_QUERY } from './structures-request.ts';

const tag = 'Farm structures';
const path = '/api/v8.0/{orgId}/structures';

const read = endpoint({
  id: 'readStructures',
  method: 'get',
  path,
  tag,
  summary: 'Read farms',
  access: farmerMember,
  query: STRUCTURES_QUERY,
  headers: IF_NONE_MATCH,
  answers: structuresAnswers(ownStructures, featureCollection),
  problems: ['rate-limited'],
  async handle(call) {
    return sendStructures(call, findOwn(call), call.caller.organization.id);
  },
});

// Structures are validated one by one, with their own messages: ajv sees only this schema.
const anyObject = Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object' });

const write = endpoint({
  id: 'writeStructures',
  method: 'put',
  path,
  tag,
  summary: 'Create or update farms',
  description:
    'Creates or updates structures by ID; structures that the body omits are kept. The whole body is stored, or nothing.',
  access: farmerAdmin,
  body: {
    ...jsonBody('Farms, or a GeoJSON FeatureCollection.', anyObject),
    forms: { 'application/json': { schema: inputStructures } },
  },
  answers: { 200: json('The numbers of created, updated and unchanged structures.', writeResult) },
  async handle({ api, caller: { organization }, body }) {
    const issues = new IssueList();
    const isGeoJson = body['type'] === 'FeatureCollection';
    const structures = await collect(isGeoJson ? flattenFeatures(body, issues) : flattenFarms(body, issues));
    const result = await writeStructures(api.database, organization.id, structures, issues);
    if (result === null) throw bodyProblem(issues.kept, issues.total);
    return ok(result);
  },
});

const erase = endpoint({
  id: 'deleteStructures',
  method: 'delete',
  path,
  tag,
  summary: 'Delete all farms',
  access: farmerAdmin,
  answers: { 204: DELETED },
  async handle({ api, caller: { organization } }) {
    await eraseStructures(api.database, organization.id);
    return NO_CONTENT;
  },
});

/** The farm structures of a farmer's organization. */
export const STRUCTURE_ENDPOINTS = [read, write, erase];

/** Maximum time for which reading a body blocks other requests. */
const MAX_TURN_MS = 20;

/** Reads every structure; a body with complex geometries takes seconds, so other requests are served in between. */
async function collect(structures: FlatStructures): Promise<readonly FlatStructure[]> {
  const found: FlatStructure[] = [];
  let turnEnd = performance.now() + MAX_TURN_MS;
  for (const structure of structures) {
    if (structure !== null) found.push(structure);
    if (performance.now() < turnEnd) continue;
    await nextTurn();
    turnEnd = performance.now() + MAX_TURN_MS;
  }
  return found;
}
