import type { Problem, Session } from './answers.ts';
import { untilSignedIn } from './ended-session.ts';

/** The service refused, or could not be reached; the message is for people. */
export class CallError extends Error {
  override readonly name = 'CallError';
  /** 0: no answer came. */
  readonly status: number;
  readonly problems: readonly Problem[];

  constructor(status: number, message: string, problems: readonly Problem[] = []) {
    super(message);
    this.status = status;
    this.problems = problems;
  }
}

const API = '/portal/api';
/** What the API answers to who has no session. */
export const UNAUTHORIZED = 401;

/** Calls the API below `/portal/api` and gives the body of its answer, be it after another sign-in. @throws CallError */
export async function callApi<Body>(method: string, path: string, body?: unknown): Promise<Body> {
  return request<Body>(method, `${API}${path}`, body);
}

/** Reads who is signed in; null: nobody. @throws CallError */
export async function readSession(): Promise<Session | null> {
  return request<Session | null>('GET', '/portal/session').catch((error: unknown) => {
    // The issuer's token may be refused a moment before the session ends.
    if (error instanceof CallError && error.status === UNAUTHORIZED) return null;
    throw error;
  });
}

/** Ends the session. @throws CallError */
export async function endSession(): Promise<void> {
  await request('DELETE', '/portal/session');
}

/** The address that signs in and comes back to a page. */
export function signInAddress(page: string): string {
  return `/portal/sign-in?page=${encodeURIComponent(page)}`;
}

async function request<Body>(method: string, address: string, body?: unknown): Promise<Body> {
  const response = await fetch(address, {
    method,
    ...(body !== undefined && {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
  }).catch(() => {
    throw new CallError(0, '');
  });
  const text = await response.text();
  if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as Body;
  if (response.status === UNAUTHORIZED && address.startsWith(API)) {
    await untilSignedIn();
    return request<Body>(method, address, body);
  }
  throw refusal(response.status, text);
}

/** A problem document as an error. */
export function refusal(status: number, text: string): CallError {
  const document = parsed(text);
  const errors: unknown = 'errors' in document ? document.errors : [];
  const detail = 'detail' in document ? String(document.detail) : '';
  return new CallError(status, detail, Array.isArray(errors) ? (errors as Problem[]) : []);
}

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
