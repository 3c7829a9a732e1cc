import type { components } from '../client/openapi-types.ts';
import { CannotRunError } from './exit-codes.ts';

type ApiProblem = components['schemas']['Problem'];

/** What a call of the typed client gives. */
interface Called<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** The server refused a call or could not answer it. */
export class ServerRefusalError extends CannotRunError {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Whether what a server sent is a problem document. */
function isProblem(value: unknown): value is ApiProblem {
  return typeof value === 'object' && value !== null && 'type' in value && 'title' in value;
}

/**
 * The body of a good answer.
 * @throws ServerRefusalError with what the server's problem says.
 * @throws CannotRunError when the server does not answer.
 */
export async function answered<Data>(call: Promise<Called<Data>>): Promise<Data> {
  const { data, error, response } = await call.catch((cause: unknown) => {
    throw unreachable(cause);
  });
  if (!response.ok) throw refusal(response, error);
  if (data === undefined) throw new CannotRunError(`${response.url} answered without a body.`);
  return data;
}

/** Waits for a call whose good answer has no body. @throws as `answered` does. */
export async function done(call: Promise<Called<unknown>>): Promise<void> {
  const { error, response } = await call.catch((cause: unknown) => {
    throw unreachable(cause);
  });
  if (!response.ok) throw refusal(response, error);
}

/** No answer at all. */
export function unreachable(cause: unknown): CannotRunError {
  const { message } = cause instanceof Error && cause.cause instanceof Error ? cause.cause : (cause as Error);
  return new CannotRunError(`The server does not answer: ${message || 'the connection failed'}.`);
}

/** What the server says against a call, in the words of its problem document. */
export function refusal({ status, url }: Response, body: unknown): ServerRefusalError {
  if (!isProblem(body)) return new ServerRefusalError(status, `${new URL(url).origin} answers ${status}.`);
  const places = (body.errors ?? []).map(({ pointer, detail }) => `\n  ${pointer ?? ''} ${detail}`);
  return new ServerRefusalError(status, `${body.title}. ${body.detail}${places.join('')}`);
}
