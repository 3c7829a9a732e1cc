import { Router } from 'express';
import type { ApiContext } from '../context.ts';
import type { Endpoint } from './endpoint.ts';
import { methodNotAllowed } from './problem.ts';

/** A router of these endpoints, mounted under this prefix of their paths; other methods return 405. */
export function endpointsRouter(api: ApiContext, endpoints: readonly Endpoint[], prefix = ''): Router {
  const router = Router();
  requireReachable(endpoints.map(({ path }) => path));
  for (const path of new Set(endpoints.map((each) => each.path))) {
    const methods = endpoints.filter((each) => each.path === path);
    const route = router.route(expressPath(path.slice(prefix.length)));
    for (const each of methods) route[each.method](each.handler(api));
    route.all(methodNotAllowed(...methods.map(({ method }) => method.toUpperCase())));
  }
  return router;
}

/** @throws Error where an earlier path also matches a later one, whose endpoint would then never be called. */
function requireReachable(paths: readonly string[]): void {
  const earlier: { readonly path: string; readonly pattern: RegExp }[] = [];
  for (const path of new Set(paths)) {
    const sample = path.replaceAll(/\{\w+\}/g, 'x');
    const shadow = earlier.find(({ pattern }) => pattern.test(sample));
    if (shadow !== undefined) throw new Error(`${shadow.path} comes before ${path} and matches it too`);
    const source = path
      .replaceAll('.', '\\.')
      .replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'path' ? '.+' : '[^/]+'));
    earlier.push({ path, pattern: new RegExp(`^${source}$`, 'i') });
  }
}

/** A path in Express's syntax: `{path}` also matches slashes. */
function expressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'path' ? '*path' : `:${name}`));
}
