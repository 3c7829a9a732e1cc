import { Router } from 'express';
import type { RequestHandler } from 'express';
import { alertRulesSchema } from '../../shared/package/alert-rules/alert-rules-schema.ts';
import { moduleSchema } from '../../shared/package/descriptor/module-schema.ts';
import { rolesEntitiesSchema } from '../../shared/package/roles/roles-schema.ts';
import { methodNotAllowed, ProblemError } from '../http/problem.ts';
import { publicDocument } from '../http/public-document.ts';

/** The schemas of a package's files by the name that they are served under: the rules validate with the same objects. */
export const PACKAGE_SCHEMAS = {
  'module-schema.json': moduleSchema,
  'roles-entities.json': rolesEntitiesSchema,
  'alert-rules.json': alertRulesSchema,
} as const;

/** The JSON Schemas of a package's files, for editors and build tools. */
export function schemasRouter(): Router {
  const documents = new Map(
    Object.entries(PACKAGE_SCHEMAS).map(([name, schema]): [string, RequestHandler] => [
      name,
      publicDocument('json', JSON.stringify(schema, null, 2)),
    ]),
  );
  const router = Router();
  router.get('/:name', (request, response, next) => {
    const send = documents.get(request.params.name);
    if (send === undefined) throw new ProblemError('not-found', 'There is no schema of this name.');
    return send(request, response, next);
  });
  router.all('/:name', methodNotAllowed('GET'));
  return router;
}
