import type { Problem } from './answers.ts';

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

/** Calls the API below `/portal/api` and gives the body of its answer. @throws CallError */
export async function callApi<Body>(method: string, path: string, body?: unknown): Promise<Body> {
  return request<Body>(method, `${API}${path}`, body);
}

/** Reads who is signed in; null: nobody. @throws CallError */
export async function readSession<Session>(): Promise<Session | null> {
  return request<Session | null>('GET', '/portal/session');
}

/** Ends the session. @throws CallError */
export async function endSession(): Promise<void> {
  await request('DELETE', '/portal/session');
}

/** Leads to the sign-in, and from there back to this page. */
export function goToSignIn(): void {
  location.assign(signInAddress());
}

/** The address that signs in and comes back to this page. */
export function signInAddress(): string {
  return `/portal/sign-in?page=${encodeURIComponent(location.pathname)}`;
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
  if (response.status === 401 && address.startsWith(API)) goToSignIn();
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
