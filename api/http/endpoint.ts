import type { Request, RequestHandler, Response } from 'express';
import type { Page, PageRequest } from '../../shared/db/keyset-page.ts';
import { OverRateError } from '../../shared/limits/fair-rate.ts';
import { currentOwner, forOwner } from '../../shared/limits/owner.ts';
import type { EndpointAccess } from '../auth/endpoint-access.ts';
import type { ApiContext } from '../context.ts';
import { NO_CONTENT, ok, sendReply, type Answer, type Answers, type ReplyOf } from './answer.ts';
import type { Body } from './request/json-body.ts';
import { PAGE_QUERY, pageAnswer, pageRequest, sliceAnswer, type PageAnswer } from './pagination.ts';
import {
  pathReader,
  pathSchemas,
  queryReader,
  type NoParameters,
  type ParameterSchemas,
  type ParameterValues,
  type PathNames,
} from './request/parameters.ts';
import { noteFacts } from './server/access-log.ts';
import { reportDeprecation, type Deprecation } from './deprecation.ts';
import { reportRate } from './limits/rate-limit.ts';
import { refuseIdempotencyKey } from './request/idempotency-key.ts';
import { isOwnersLimit } from './problem.ts';
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
  readonly summary: string;
  readonly description?: string;
  /** Schemas of path parameters, beside the IDs that all paths share. */
  readonly parameters?: ParameterSchemas;
  /** Headers of the request that the handler reads. */
  readonly headers?: ParameterSchemas;
  /** Problems beside those of access, parameters and body. */
  readonly problems?: readonly RequestProblemCode[];
  /** Set where the call should no longer be used. */
  readonly deprecated?: Deprecation;
  /** Whether it may record changes that the back ends of modules are notified of. */
  readonly recordsChanges?: true;
  /** Whether changes that were committed before need their positions, because it reads them or what it makes follows them. */
  readonly followsChanges?: true;
}

/** The definition of an endpoint: its contract and its handler. */
export interface Definition<
  Caller,
  Path extends string,
  Query extends ParameterSchemas,
  Input,
  Of extends Answers,
> extends Description {
  readonly access: EndpointAccess<Caller>;
  readonly query?: Query;
  readonly body?: Body<Input>;
  readonly answers: Of;
  handle(call: Call<Caller, Path, Query, Input>): ReplyOf<Of> | Promise<ReplyOf<Of>>;
}

type Method = 'get' | 'put' | 'post' | 'patch' | 'delete';

/** An endpoint, as used by the router. */
export interface Endpoint extends Description {
  readonly method: Method;
  readonly path: string;
  readonly access: EndpointAccess<unknown>;
  readonly parameters: ParameterSchemas;
  readonly query: ParameterSchemas;
  readonly body?: Body<unknown>;
  readonly answers: Readonly<Record<number, Answer<unknown>>>;
  /** Checks the caller, the parameters and the body, in this order, and then calls the handler. */
  handler(api: ApiContext): RequestHandler;
}

/** An endpoint of the OpenAPI document, which groups them by tags. */
export interface TaggedEndpoint extends Endpoint {
  readonly tag: string;
}

/** Endpoints under their tag. */
export function tagged(tag: string, endpoints: readonly Endpoint[]): readonly TaggedEndpoint[] {
  return endpoints.map((each) => ({ ...each, tag }));
}

/** Creates an endpoint from its definition: route, 405, access, validation, types and document follow from it. */
export function endpoint<
  Caller,
  const Path extends string,
  const Of extends Answers,
  Query extends ParameterSchemas = NoParameters,
  Input = undefined,
>(method: Method, path: Path, definition: Definition<Caller, Path, Query, Input, Of>): Endpoint {
  const { access, body } = definition;
  const parameters = pathSchemas(path, definition.parameters);
  const readPath = pathReader<Path>(path, parameters);
  const readQuery = queryReader(definition.query ?? {});
  return {
    ...definition,
    method,
    path,
    parameters,
    query: definition.query ?? {},
    handler(api) {
      const readBody = body?.reader(api);
      return async (request, response) => {
        reportDeprecation(response, definition.deprecated);
        const caller = await admit(api, request, access, response);
        const known = access.ownerOf?.(caller);
        noteFacts(request, { owner: known ?? '' });
        // Of one who is not known it is the client's address.
        const owner = known ?? currentOwner();
        const answer = async () => {
          refuseIdempotencyKey(request, definition.headers ?? {});
          const call = { api, request, response, caller, path: readPath(request), query: readQuery(request) };
          // Without a body, Input is undefined.
          const input = (await readBody?.(request, response)) as Input;
          if (definition.followsChanges === true) await api.changes.sequence();
          const reply = await definition.handle({ ...call, body: input });
          if (definition.recordsChanges === true) api.changes.soon();
          sendReply(response, reply, definition.answers);
        };
        await api.admission.turns.awaitTurn(owner);
        await forOwner(owner, answer).catch((error: unknown) => {
          if (known !== undefined && isOwnersLimit(error))
            api.admission.requestRate.spend(owner, REFUSAL_COST);
          throw error;
        });
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
  const { requestRate, refusedCallers } = api.admission;
  try {
    requestRate.requireLeft(owner);
    requestRate.spend(owner, requestCost);
  } catch (error) {
    // Not the rate of a key: a key that is revoked within its minute is refused for that.
    if (error instanceof OverRateError) refusedCallers.add(request, error, requestRate.use(owner));
    reportRate(response, requestRate.use(owner));
    throw error;
  }
  // Keys have limits of their own, which are reported where they are counted.
  if (requestCost > 0) reportRate(response, requestRate.use(owner));
  return caller;
}

interface PagesDefinition<Caller, Path extends string, Query extends ParameterSchemas, Row> extends Omit<
  Definition<Caller, Path, Query, undefined, { 200: PageAnswer<Row> }>,
  'body' | 'answers' | 'handle'
> {
  readonly page: PageAnswer<Row>;
}

interface ListDefinition<
  Caller,
  Path extends string,
  Query extends ParameterSchemas,
  Row,
> extends PagesDefinition<Caller, Path, Query, Row> {
  /** The rows of the requested page. */
  list(
    call: Call<Caller, Path, typeof PAGE_QUERY & Query, undefined>,
    request: PageRequest,
  ): Promise<Page<NoInfer<Row>>>;
}

/** An endpoint that returns rows in pages; `query` has its filters. */
export function listEndpoint<
  Caller,
  const Path extends string,
  Row,
  Query extends ParameterSchemas = NoParameters,
>(path: Path, { page, list, ...definition }: ListDefinition<Caller, Path, Query, Row>): Endpoint {
  // Without filters, Query has no members.
  const filters = definition.query ?? ({} as Query);
  return endpoint('get', path, {
    ...definition,
    query: { ...PAGE_QUERY, ...filters },
    answers: { 200: page },
    handle: async (call) => ok(pageAnswer(call, await list(call, pageRequest(call)))),
  });
}

interface WholeListDefinition<Caller, Path extends string, Row> extends PagesDefinition<
  Caller,
  Path,
  NoParameters,
  Row
> {
  /** All rows, which are few. */
  list(call: Call<Caller, Path, typeof PAGE_QUERY, undefined>): readonly Row[] | Promise<readonly Row[]>;
}

/** An endpoint that returns in pages what is read as a whole. */
export function wholeListEndpoint<Caller, const Path extends string, Row>(
  path: Path,
  {
    page,
    list,
    ...definition
  }: WholeListDefinition<Caller, Path, NoInfer<Row>> & {
    readonly page: PageAnswer<Row>;
  },
): Endpoint {
  return endpoint('get', path, {
    ...definition,
    query: PAGE_QUERY,
    answers: { 200: page },
    handle: async (call) => ok(sliceAnswer(call, await list(call))),
  });
}

interface DeleteDefinition<Caller, Path extends string, Query extends ParameterSchemas> extends Omit<
  Definition<Caller, Path, Query, undefined, Answers>,
  'body' | 'answers' | 'handle'
> {
  handle(call: Call<Caller, Path, Query, undefined>): Promise<void>;
}

/** An endpoint that deletes what its path names, and answers 204. */
export function deleteEndpoint<
  Caller,
  const Path extends string,
  Query extends ParameterSchemas = NoParameters,
>(path: Path, { handle, ...definition }: DeleteDefinition<Caller, Path, Query>): Endpoint {
  return endpoint('delete', path, {
    ...definition,
    answers: { 204: { description: 'Deleted.' } },
    async handle(call) {
      await handle(call);
      return NO_CONTENT;
    },
  });
}
