import type { Request, Response } from 'express';
import type { ApiContext } from '../context.ts';
import { ownOrigin } from '../http/own-origin.ts';

/** A cookie that carries a secret, out of reach of scripts. */
export interface SecretCookie {
  readonly name: string;
  readonly path: string;
}

/** The cookie as the browser has it. Over https its prefix keeps other hosts and plain HTTP from setting it. */
function browserCookie({ config }: ApiContext, request: Request, { name, path }: SecretCookie) {
  const secure = ownOrigin(request, config.server.publicUrl).startsWith('https:');
  const prefix = path === '/' ? '__Host-' : '__Secure-';
  return { secure, name: secure ? prefix + name : name };
}

/** What the request's cookie has, where it has this form; null: nothing, or another form. */
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

/** Gives the browser a cookie for so long, or takes it away (null). */
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
    // Lax, for the browser comes back from the issuer with it; what changes anything needs its origin besides.
    sameSite: 'lax',
    secure,
    path: cookie.path,
    maxAge: value?.maxAgeMs ?? 0,
  });
}
