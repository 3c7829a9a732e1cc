import { Router } from 'express';
import type { ApiContext } from '../context.ts';
import type { Endpoint } from './endpoint.ts';
import { methodNotAllowed } from './problem.ts';

/** A router of these endpoints, mounted under this prefix of their paths; other methods return 405. */
export function endpointsRouter(api: ApiContext, endpoints: readonly Endpoint[], prefix = ''): Router {
  const router = Router();
  for (const path of new Set(endpoints.map((each) => each.path))) {
    const methods = endpoints.filter((each) => each.path === path);
    const route = router.route(expressPath(path.slice(prefix.length)));
    for (const each of methods) route[each.method](each.handler(api));
    route.all(methodNotAllowed(...methods.map(({ method }) => method.toUpperCase())));
  }
  return router;
}

/** A path in Express's syntax: `{path}` also matches slashes. */
function expressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'path' ? '*path' : `:${name}`));
}
