import type { Express } from 'express';

interface Layer {
  readonly route?: {
    readonly path: string | readonly string[];
    readonly methods: Readonly<Record<string, boolean>>;
  };
  readonly handle: { readonly stack?: readonly Layer[] };
  readonly slash: boolean;
  path?: string;
  match(path: string): boolean;
}

/** The prefixes where routers may be mounted: a layer knows its mount only as a test of paths. */
const MOUNTS = ['/problems', '/schemas', '/queues', '/portal', '/api/v8.0'];

function mountOf(layer: Layer): string {
  if (layer.slash) return '';
  const mount = MOUNTS.find((each) => layer.match(each));
  if (mount === undefined)
    throw new Error('a router is mounted at a prefix that this test does not know: add it to MOUNTS');
  return mount;
}

/** Paths as OpenAPI writes them. */
function template(mount: string, path: string): string {
  const openapiPath = path.replaceAll(/[:*](\w+)/g, '{$1}');
  return openapiPath === '/' && mount !== '' ? mount : mount + openapiPath;
}

function* routesIn(stack: readonly Layer[], prefix: string): Generator<string> {
  for (const layer of stack) {
    const { route, handle } = layer;
    if (route !== undefined) {
      const methods = Object.keys(route.methods).filter((method) => method !== '_all');
      for (const path of [route.path].flat())
        for (const method of methods) yield `${method.toUpperCase()} ${template(prefix, path)}`;
    } else if (handle.stack !== undefined) {
      yield* routesIn(handle.stack, prefix + mountOf(layer));
    }
  }
}

/** Every method and path that the application has a route for, such as `GET /api/v8.0/limits`. */
export function expressRoutes(app: Express): readonly string[] {
  return [...routesIn((app.router as unknown as { stack: readonly Layer[] }).stack, '')];
}
