import type { Static, TObject } from 'typebox';
import type { Page, PageRequest } from '../../shared/db/keyset-page.ts';
import { ok, type Answer } from './answer.ts';
import { endpoint, type Call, type Definition, type Endpoint } from './endpoint.ts';
import { PAGE_QUERY, pageAnswer, pageRequest, type PageBody } from './pagination.ts';
import type { NoParameters, ParameterSchemas } from './parameters.ts';
import { presenterOf, type Presentable } from './present.ts';
import { NAME, keywordsOf, pageOf } from './schema.ts';

/** An answer that is a page of rows. */
type PageAnswer<Row> = Answer<PageBody<Row>>;

/**
 * The answer with a page of these items, in words such as `alert rules`; `brief` says it where the endpoint is clear. Its
 * schema has the name of the items, unless it gets another one.
 */
export function page<Item extends TObject>(
  item: Item,
  words: string,
  { brief = words, name = `${String(keywordsOf(item)[NAME])}Page` } = {},
): PageAnswer<Presentable<Static<Item>>> {
  const schema = pageOf(name, item, `A page of ${words}.`);
  const present = presenterOf(item);
  return {
    description: `A page of ${brief}.`,
    forms: { 'application/json': { schema } },
    headers: [],
    present: ({ items, nextCursor }) => ({ items: items.map(present), nextCursor }),
  };
}

interface ListDefinition<Caller, Path extends string, Query extends ParameterSchemas, Row> extends Omit<
  Definition<Caller, Path, Query, undefined, { 200: PageAnswer<Row> }>,
  'method' | 'body' | 'answers' | 'handle'
> {
  readonly page: PageAnswer<Row>;
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
>({ page: answer, list, ...definition }: ListDefinition<Caller, Path, Query, Row>): Endpoint {
  // Without filters, Query has no members.
  const filters = definition.query ?? ({} as Query);
  return endpoint({
    ...definition,
    method: 'get',
    query: { ...PAGE_QUERY, ...filters },
    answers: { 200: answer },
    handle: async (call) => ok(pageAnswer(await list(call, pageRequest(call.query)))),
  });
}
