import { hash } from 'node:crypto';
import type { Request } from 'express';

const names = new WeakMap<Request, string | null>();

/** A name for the credential that a request arrived with, which reveals nothing of it; null where it has none. */
export function credentialName(request: Request): string | null {
  const known = names.get(request);
  if (known !== undefined) return known;
  const credential = request.get('authorization') ?? request.get('x-api-key') ?? request.get('cookie');
  const name = credential === undefined ? null : hash('sha256', credential, 'base64');
  // The portal replaces a session by its token.
  names.set(request, name);
  return name;
}
