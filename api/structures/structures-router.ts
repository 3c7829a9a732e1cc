import { setImmediate as nextTurn } from 'node:timers/promises';
import { Router } from 'express';
import { eraseStructures, writeStructures } from '../../shared/db/structures/write-structures.ts';
import { IssueList } from '../../shared/structures/issue-list.ts';
import { flattenFarms } from '../../shared/structures/flatten-farms.ts';
import { flattenFeatures } from '../../shared/structures/flatten-features.ts';
import type { FlatStructure, FlatStructures } from '../../shared/structures/flat-structure.ts';
import type { ApiContext } from '../context.ts';
import { methodNotAllowed } from '../http/problem.ts';
import { bodyProblem, bodyReader, bodySchema, jsonBody } from '../http/json-body.ts';
import { sendOwnStructures } from './own-structures.ts';

/** What is within the body is judged structure by structure, with words that fit. */
type StructuresBody = Readonly<Record<string, unknown>>;

const structuresBody = bodySchema<StructuresBody>({ type: 'object' });

/** The farm structures of a farmer's organization. */
export function structuresRouter(api: ApiContext): Router {
  const router = Router();
  const path = '/:orgId/structures';
  const readBody = bodyReader(api.config.server.maxJsonBodyBytes);

  router.get(path, async (request, response) => {
    const { organization } = await api.access.organization(request, 'OrganizationMember', 'farmer');
    await sendOwnStructures(api, request, response, organization.id);
  });
  router.put(path, async (request, response) => {
    const { organization } = await api.access.organization(request, 'OrganizationAdmin', 'farmer');
    await readBody(request, response);
    const body = jsonBody(request, structuresBody);
    const issues = new IssueList();
    const isGeoJson = body['type'] === 'FeatureCollection';
    const structures = await collect(isGeoJson ? flattenFeatures(body, issues) : flattenFarms(body, issues));
    const written = await writeStructures(api.database, organization.id, structures, issues);
    if (written === null) throw bodyProblem(issues.kept, issues.total);
    response.json(written);
  });
  router.delete(path, async (request, response) => {
    const { organization } = await api.access.organization(request, 'OrganizationAdmin', 'farmer');
    await eraseStructures(api.database, organization.id);
    response.status(204).end();
  });
  router.all(path, methodNotAllowed('GET', 'PUT', 'DELETE'));

  return router;
}

/** Longest that reading a body keeps other requests waiting. */
const MAX_TURN_MS = 20;

/** Reads every structure; a body full of intricate geometries takes seconds, in which others are served. */
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
