import type { Request, Response } from 'express';
import type { ApiContext } from '../context.ts';
import { ownOrigin } from '../http/own-origin.ts';

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * The cookie's name in the browser, and whether it is sent over TLS only. With the prefix no other host and no plain
 * HTTP can set it. Only an origin on this machine does without, as on the local stack.
 */
function browserCookie({ config }: ApiContext, request: Request, name: string) {
  const { protocol, hostname } = new URL(ownOrigin(request, config.server.publicUrl));
  const secure = protocol === 'https:' || !LOOPBACK.has(hostname);
  return { secure, name: secure ? `__Host-${name}` : name };
}

/** The value of the request's cookie; null if it is missing or does not match `form`. */
export function readCookie(api: ApiContext, request: Request, cookie: string, form: RegExp): string | null {
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
  cookie: string,
  value: { readonly text: string; readonly maxAgeMs: number } | null,
): void {
  const { name, secure } = browserCookie(api, request, cookie);
  response.cookie(name, value?.text ?? '', {
    httpOnly: true,
    // Lax, because the issuer redirects the browser back with it; requests that change data are checked for their origin.
    sameSite: 'lax',
    secure,
    path: '/',
    maxAge: value?.maxAgeMs ?? 0,
  });
}
