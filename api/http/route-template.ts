import type { Request, RequestHandler } from 'express';

const mounts = new WeakMap<Request, string>();

/** Records where a router is mounted. Express reports that only as the client sent it, in any letter case. */
export function mountedAt(prefix: string): RequestHandler {
  return (request, _response, next) => {
    mounts.set(request, prefix);
    next();
  };
}

/**
 * The template of a request's route, such as `/api/v8.0/:orgId/imports`; without a route, its router's prefix and a
 * star. Never a part of the address: there are only as many templates as routes.
 */
export function routeTemplate(request: Request): string {
  const prefix = mounts.get(request) ?? '';
  return `${prefix}${pathOf(request.route) ?? '/*'}`;
}

function pathOf(route: unknown): string | null {
  if (typeof route !== 'object' || route === null || !('path' in route)) return null;
  const { path } = route;
  const paths: readonly unknown[] = Array.isArray(path) ? path : [path];
  return paths.every((each) => typeof each === 'string') ? paths.join('|') : null;
}
