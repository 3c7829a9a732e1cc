import type { Request, Response } from 'express';

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]', '::1']);

/** A cookie that carries one opaque secret, out of reach of scripts. */
export interface SessionCookie {
  readonly name: string;
  readonly path: string;
  readonly sameSite: 'strict' | 'lax';
}

/** What the request's cookie holds, where it has this form; null: nothing, or another form. */
export function readCookie(request: Request, { name }: SessionCookie, form: RegExp): string | null {
  for (const pair of (request.get('cookie') ?? '').split(';')) {
    const at = pair.indexOf('=');
    const value = pair.slice(at + 1).trim();
    if (at > 0 && pair.slice(0, at).trim() === name && form.test(value)) return value;
  }
  return null;
}

/** The secret of a session in the request's cookie: 43 characters of base64url. */
export function sessionToken(request: Request, cookie: SessionCookie): string | null {
  return readCookie(request, cookie, /^[\w-]{43}$/);
}

/** Gives the browser a cookie for so long, or takes it away (null). */
export function setCookie(
  request: Request,
  response: Response,
  { name, path, sameSite }: SessionCookie,
  value: { readonly text: string; readonly maxAgeMs: number } | null,
): void {
  response.cookie(name, value?.text ?? '', {
    httpOnly: true,
    sameSite,
    // Browsers keep no secure cookie of a plain loopback address.
    secure: !LOOPBACK.has(request.hostname),
    path,
    maxAge: value?.maxAgeMs ?? 0,
  });
}
