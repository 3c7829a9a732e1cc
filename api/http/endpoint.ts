import { Router, type Request, type RequestHandler, type Response } from 'express';
import { OverRateError } from '../../shared/limits/fair-rate.ts';
import { forOwner } from '../../shared/limits/owner.ts';
import type { EndpointAccess } from '../auth/endpoint-access.ts';
import type { ApiContext } from '../context.ts';
import { sendReply, type Answer, type Answers, type ReplyOf } from './answer.ts';
import type { Body } from './json-body.ts';
import {
  pathReader,
  pathSchemas,
  queryReader,
  type NoParameters,
  type ParameterSchemas,
  type ParameterValues,
  type PathNames,
} from './parameters.ts';
import { isOwnersLimit, methodNotAllowed } from './problem.ts';
import type { RequestProblemCode } from './request-problem-codes.ts';

/**
 * A request that is refused because another limit of its owner is used up costs this many requests: a client that waits
 * for Retry-After sends few of them.
 */
const REFUSAL_COST = 20;

/** One validated call of an endpoint: the input of its handler. */
export interface Call<Caller, Path extends string, Query extends ParameterSchemas, Input> {
  readonly api: ApiContext;
  readonly request: Request;
  readonly response: Response;
  readonly caller: Caller;
  /** The parameters of the path; IDs in lower case. */
  readonly path: Readonly<Record<PathNames<Path>, string>>;
  readonly query: ParameterValues<Query>;
  readonly body: Input;
}

/** The endpoint's description in the OpenAPI document. */
interface Description {
  /** Its operation ID: a verb and a noun. */
  readonly id: string;
  readonly method: 'get' | 'put' | 'post' | 'patch' | 'delete';
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Schemas of path parameters, beside the IDs that all paths share. */
  readonly parameters?: ParameterSchemas;
  /** Headers of the request that the handler reads. */
  readonly headers?: ParameterSchemas;
  /** Problems beside those of access, parameters and body. */
  readonly problems?: readonly RequestProblemCode[];
  /** Whether it may record changes that the back ends of modules are notified of. */
  readonly recordsChanges?: true;
}

/** The definition of an endpoint: its contract and its handler. */
export interface Definition<
  Caller,
  Path extends string,
  Query extends ParameterSchemas,
  Input,
  Of extends Answers,
> extends Description {
  readonly path: Path;
  readonly access: EndpointAccess<Caller>;
  readonly query?: Query;
  readonly body?: Body<Input>;
  readonly answers: Of;
  handle(call: Call<Caller, Path, Query, Input>): ReplyOf<Of> | Promise<ReplyOf<Of>>;
}

/** An endpoint, as used by the router and the OpenAPI document. */
export interface Endpoint extends Description {
  readonly path: string;
  readonly access: EndpointAccess<unknown>;
  readonly parameters: ParameterSchemas;
  readonly query: ParameterSchemas;
  readonly body?: Body<unknown>;
  readonly answers: Readonly<Record<number, Answer<unknown>>>;
  /** Checks the caller, the parameters and the body, in this order, and then calls the handler. */
  handler(api: ApiContext): RequestHandler;
}

/** Creates an endpoint from its definition: route, 405, access, validation, types and document follow from it. */
export function endpoint<
  Caller,
  const Path extends string,
  const Of extends Answers,
  Query extends ParameterSchemas = NoParameters,
  Input = undefined,
>(definition: Definition<Caller, Path, Query, Input, Of>): Endpoint {
  const { path, access, body } = definition;
  const parameters = pathSchemas(path, definition.parameters);
  const readPath = pathReader<Path>(path, parameters);
  const readQuery = queryReader(definition.query ?? {});
  return {
    ...definition,
    parameters,
    query: definition.query ?? {},
    handler(api) {
      const readBody = body?.reader(api);
      return async (request, response) => {
        const caller = await admit(api, request, access, response);
        const answer = async () => {
          const call = { api, request, response, caller, path: readPath(request), query: readQuery(request) };
          // Without a body, Input is undefined.
          const input = (await readBody?.(request, response)) as Input;
          const reply = await definition.handle({ ...call, body: input });
          if (definition.recordsChanges === true) api.changes.soon();
          sendReply(response, reply, definition.answers);
        };
        const owner = access.ownerOf?.(caller);
        if (owner === undefined) await answer();
        else {
          await api.admission.turns.awaitTurn(owner);
          await forOwner(owner, answer).catch((error: unknown) => {
            if (isOwnersLimit(error)) api.admission.requestRate.spend(owner, REFUSAL_COST);
            throw error;
          });
        }
      };
    },
  };
}

/** Authorizes the caller and counts the request. @throws ProblemError, OverRateError if a rate of the caller is used up */
async function admit<Caller>(
  api: ApiContext,
  request: Request,
  access: EndpointAccess<Caller>,
  response: Response,
): Promise<Caller> {
  const caller = await access.authorize(api, request, response);
  const { requestCost } = access;
  const owner = access.ownerOf?.(caller);
  if (owner === undefined || requestCost === undefined) return caller;
  try {
    api.admission.requestRate.requireLeft(owner);
  } catch (error) {
    // Not the rate of a key: a key that is revoked within its minute is refused for that.
    if (error instanceof OverRateError) api.admission.refusedCallers.add(request, error);
    throw error;
  }
  api.admission.requestRate.spend(owner, requestCost);
  return caller;
}

/** A router of these endpoints, mounted under this prefix of their paths; other methods return 405. */
export function endpointsRouter(api: ApiContext, endpoints: readonly Endpoint[], prefix = ''): Router {
  const router = Router();
  requireReachable(endpoints.map(({ path }) => path));
  for (const path of new Set(endpoints.map((each) => each.path))) {
    const methods = endpoints.filter((each) => each.path === path);
    const route = router.route(expressPath(path.slice(prefix.length)));
    for (const each of methods) route[each.method](each.handler(api));
    route.all(methodNotAllowed(...methods.map(({ method }) => method.toUpperCase())));
  }
  return router;
}

/** @throws Error where an earlier path also matches a later one, whose endpoint would then never be called. */
function requireReachable(paths: readonly string[]): void {
  const earlier: { readonly path: string; readonly pattern: RegExp }[] = [];
  for (const path of new Set(paths)) {
    const sample = path.replaceAll(/\{\w+\}/g, 'x');
    const shadow = earlier.find(({ pattern }) => pattern.test(sample));
    if (shadow !== undefined) throw new Error(`${shadow.path} comes before ${path} and matches it too`);
    const source = path
      .replaceAll('.', '\\.')
      .replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'path' ? '.+' : '[^/]+'));
    earlier.push({ path, pattern: new RegExp(`^${source}$`, 'i') });
  }
}

/** A path in Express's syntax: `{path}` also matches slashes. */
function expressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'path' ? '*path' : `:${name}`));
}
