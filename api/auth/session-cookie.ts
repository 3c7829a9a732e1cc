import type { Request, Response } from 'express';
import type { ApiContext } from '../context.ts';
import { ownOrigin } from '../http/own-origin.ts';

/** A cookie with a secret, which scripts cannot read. */
export interface SecretCookie {
  readonly name: string;
  readonly path: string;
}

/** The cookie's name in the browser. Over https its prefix prevents other hosts and plain HTTP from setting it. */
function browserCookie({ config }: ApiContext, request: Request, { name, path }: SecretCookie) {
  const secure = ownOrigin(request, config.server.publicUrl).startsWith('https:');
  const prefix = path === '/' ? '__Host-' : '__Secure-';
  return { secure, name: secure ? prefix + name : name };
}

/** The value of the request's cookie; null if it is missing or does not match `form`. */
export function readCookie(
  api: ApiContext,
  request: Request,
  cookie: SecretCookie,
  form: RegExp,
): string | null {
  const { name } = browserCookie(api, request, cookie);
  for (const pair of (request.get('cookie') ?? '').split(';')) {
    const at = pair.indexOf('=');
    const value = pair.slice(at + 1).trim();
    if (at > 0 && pair.slice(0, at).trim() === name && form.test(value)) return value;
  }
  return null;
}

/** Sets a cookie, or removes it (null). */
export function setCookie(
  api: ApiContext,
  request: Request,
  response: Response,
  cookie: SecretCookie,
  value: { readonly text: string; readonly maxAgeMs: number } | null,
): void {
  const { name, secure } = browserCookie(api, request, cookie);
  response.cookie(name, value?.text ?? '', {
    httpOnly: true,
    // Lax, because the issuer redirects the browser back with it; requests that change data are checked for their origin.
    sameSite: 'lax',
    secure,
    path: cookie.path,
    maxAge: value?.maxAgeMs ?? 0,
  });
}
