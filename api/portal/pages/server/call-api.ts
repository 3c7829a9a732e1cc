import type { components, paths } from '../../../../shared/client/openapi-types.ts';
import type { SessionAnswer, SignOutAnswer } from '../../session-answer.ts';

/** The shapes of the API's document. */
export type Schemas = components['schemas'];

export type ModuleImport = Schemas['Import'];

/** An import as operators see it. */
export type OperatorImport = Schemas['OperatorImport'];

/** The problem of a package or a request. */
export type Issue = ModuleImport['errors'][number];

export type AlertCriterion = Schemas['AlertRuleDefinitions']['criterias'][string];

export type AlertPart = AlertCriterion['parts'][string];

/** Turns `/{orgId}/imports` into the type of `/${orgId}/imports`. */
type Filled<Path> = Path extends `${infer Before}{${string}}${infer After}`
  ? `${Before}${string}${Filled<After>}`
  : Path;

type WithoutQuery<Address> = Address extends `${infer Path}?${string}` ? Path : Address;

/** The operations at an address: those of the path that has the same type, once its parameters are filled in. */
type OperationsAt<Address> = {
  [Path in keyof paths]: Path extends `/api/v8.0${infer Rest}`
    ? [Filled<Rest>, Address] extends [Address, Filled<Rest>]
      ? paths[Path]
      : never
    : never;
}[keyof paths];

type Operation<Method extends string, Address> = OperationsAt<WithoutQuery<Address>>[Lowercase<Method> &
  keyof OperationsAt<WithoutQuery<Address>>];

type Json<Message> = Message extends { content: { 'application/json': infer Body } } ? Body : undefined;

/** The body of a call's request. */
type RequestBody<Method extends string, Address> =
  Operation<Method, Address> extends { requestBody?: infer Message } ? Json<Message> : undefined;

/** The body of a call's answer when it succeeds. */
export type Answer<Method extends string, Address> =
  Operation<Method, Address> extends { responses: infer Responses }
    ? Json<Responses[keyof Responses & (200 | 201 | 202 | 204)]>
    : never;

/** An item of the list at an address. */
export type ItemAt<Address> = Answer<'GET', Address> extends { items: (infer Item)[] } ? Item : never;

type Refusal = Partial<Pick<Schemas['Problem'], 'code' | 'detail' | 'errors' | 'changes'>>;

/** The service refused the call or could not be reached; the message is for people. */
export class CallError extends Error {
  override readonly name = 'CallError';
  /** 0: there was no answer. */
  readonly status: number;
  readonly code: Schemas['Problem']['code'] | undefined;
  readonly issues: readonly Issue[];
  /** How an offer differs from the one that the farmer saw. */
  readonly changes: Schemas['RevisionChanges'] | undefined;

  constructor(status: number, { code, detail = '', errors = [], changes }: Refusal = {}) {
    super(detail);
    this.status = status;
    this.code = code;
    this.issues = errors;
    this.changes = changes;
  }
}

const API = '/portal/api';
const SESSION = '/portal/session';
/** The status of a call without a session. */
export const UNAUTHORIZED = 401;

/** The status of a call that acts on what has changed since it was read. */
export const PRECONDITION_FAILED = 412;

/**
 * Calls the API and returns the body of its answer, if need be after another sign-in. A call that acts on what was read
 * passes its tag. @throws CallError
 */
export const callApi: <Method extends string, Address extends string>(
  method: Method,
  address: Address,
  body?: RequestBody<Method, Address>,
  seenTag?: string,
) => Promise<Answer<Method, Address>> = callAny;

/** Does the same for an address that is not known until it is called. @throws CallError */
export async function callAny<Body>(
  method: string,
  address: string,
  body?: unknown,
  seenTag?: string,
): Promise<Body> {
  return (await request<Body>(method, `${API}${address}`, body, seenTag)).value;
}

/** The answer to a read, and the entity tag of what it shows. */
interface Tagged<Body> {
  readonly value: Body;
  readonly tag: string;
}

/** Reads what a person acts on, with its entity tag. @throws CallError */
export const readTagged: <Address extends string>(
  address: Address,
) => Promise<Tagged<Answer<'GET', Address>>> = (address) => request('GET', `${API}${address}`);

/** Reads who is signed in; null: nobody. @throws CallError */
export async function readSession(): Promise<SessionAnswer | null> {
  try {
    return (await request<SessionAnswer | null>('GET', SESSION)).value;
  } catch (error) {
    // The issuer's token may expire shortly before the session.
    if (error instanceof CallError && error.status === UNAUTHORIZED) return null;
    throw error;
  }
}

/**
 * Ends the session, and the notifications in the browser with this address at its push service; returns the address at
 * which the browser signs out at the issuer too. @throws CallError
 */
export async function signOut(endpoint: string | null): Promise<string> {
  const response = await send(SESSION, { method: 'DELETE', body: endpoint });
  return ((await response.json()) as SignOutAnswer).continueAt;
}

/** The address of a sign-in that returns to a page. */
export function signInAddress(page: string): string {
  return `/portal/sign-in?page=${encodeURIComponent(page)}`;
}

async function request<Body>(
  method: string,
  address: string,
  body?: unknown,
  seenTag?: string,
): Promise<Tagged<Body>> {
  const response = await send(address, {
    method,
    headers: {
      ...(seenTag !== undefined && { 'If-Match': seenTag }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const value = (text === '' ? undefined : JSON.parse(text)) as Body;
  return { value, tag: response.headers.get('etag') ?? '' };
}

/** Saves the answer to a read as a file, in another form than JSON. @throws CallError */
export async function saveAnswer(address: string, mediaType: string, fileName: string): Promise<void> {
  const response = await send(`${API}${address}`, { headers: { Accept: mediaType } });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(link.href);
}

/**
 * Reads an address of the portal as text, if need be after another sign-in: all of it, or its beginning with at least
 * this many characters if it has them. @throws CallError
 */
export async function requestText(address: string, characters = Infinity): Promise<string> {
  const reader = (await send(address, {})).body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (text.length < characters) {
    const read = await reader?.read();
    if (read?.value === undefined) break;
    text += decoder.decode(read.value, { stream: true });
  }
  await reader?.cancel();
  return text;
}

async function send(address: string, init: RequestInit): Promise<Response> {
  const response = await fetch(address, init).catch(() => {
    throw new CallError(0);
  });
  if (response.ok) return response;
  if (response.status !== UNAUTHORIZED || address === SESSION)
    throw callError(response.status, await response.text());
  await untilSignedIn();
  return send(address, init);
}

/** Turns a problem document into an error. */
export function callError(status: number, text: string): CallError {
  try {
    return new CallError(status, JSON.parse(text) as Refusal);
  } catch {
    // A proxy's page.
    return new CallError(status);
  }
}

/*
 * A session can end while a page is open. Calls then wait here until the same person has signed in again in another
 * tab, and are repeated. The page keeps everything that was typed into it.
 */

const events = new EventTarget();
let isEnded = false;

/** Whether calls wait for a session: then only a person's actions should start new ones. */
export function hasSessionEnded(): boolean {
  return isEnded;
}

/** Resolves when there is a session again. A call without a session had no effect, so it may be repeated. */
export async function untilSignedIn(): Promise<void> {
  isEnded = true;
  events.dispatchEvent(new Event('ended'));
  await new Promise((resolve) => events.addEventListener('back', resolve, { once: true }));
}

/** Lets waiting calls continue. */
export function resumeSession(): void {
  isEnded = false;
  events.dispatchEvent(new Event('back'));
}

/** Reports the end of the session. Returns a function that unsubscribes. */
export function onSessionEnd(onEnd: () => void): () => void {
  events.addEventListener('ended', onEnd);
  return () => events.removeEventListener('ended', onEnd);
}
