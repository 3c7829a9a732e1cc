import type { Request, RequestHandler, Response } from 'express';
import { ProblemError } from '../../../api/http/problem.ts';
import { REQUEST_PROBLEMS } from '../../../api/http/request-problem-codes.ts';
import type { Upload } from '../../../api/imports/upload-receiver.ts';

/** The body of an upload. */
export interface UploadBody {
  readonly body: Buffer;
  readonly upload: Upload;
}

export interface SimulatedCall {
  readonly params: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** By their names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: UploadBody;
}

/** An answer as its client gets it. */
export interface SimulatedAnswer {
  readonly status: number;
  /** Of a problem. */
  readonly code: string | null;
  readonly importId: string | null;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The part of Express's request that the protocol's endpoints read. */
function requestOf({ params, query = {}, headers = {}, body }: SimulatedCall): Request {
  const get = (name: string) => headers[name.toLowerCase()];
  return { params, query, get, simulated: body } as unknown as Request;
}

export function uploadOf(request: Request): UploadBody {
  return (request as unknown as { readonly simulated: UploadBody }).simulated;
}

/**
 * Calls an endpoint's handler; what it throws becomes an answer as in `api/http/problem.ts`.
 * @throws TypeError where the simulation lacks something that the handler uses
 */
export async function callEndpoint(handler: RequestHandler, call: SimulatedCall): Promise<SimulatedAnswer> {
  let status = 200;
  let body: Readonly<Record<string, unknown>> = {};
  const response = {
    once: () => response,
    set: () => response,
    append: () => response,
    status(code: number) {
      status = code;
      return response;
    },
    json(value: Readonly<Record<string, unknown>>) {
      body = value;
    },
    end: () => undefined,
  };
  try {
    await handler(requestOf(call), response as unknown as Response, () => undefined);
  } catch (error) {
    if (error instanceof TypeError) throw error;
    if (!(error instanceof ProblemError))
      return { status: 503, code: 'unavailable', importId: null, body: {} };
    const { importId = null, ...extras } = error.extras;
    return { status: REQUEST_PROBLEMS[error.code].status, code: error.code, importId, body: { ...extras } };
  }
  const { importId } = body;
  return { status, code: null, importId: typeof importId === 'string' ? importId : null, body };
}
