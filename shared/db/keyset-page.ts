import type { Model, QueryBuilder } from 'objection';

/** A position in a list that is ordered newest first: the last row that was returned. */
export interface Cursor {
  readonly createdAt: Date;
  readonly id: string;
}

export interface PageRequest {
  readonly limit: number;
  readonly after: Cursor | null;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Null on the last page. */
  readonly next: Cursor | null;
}

const BATCH = 500;

/** The rows of a page and one more, which shows whether there is a next page; newest first. */
export function newestFirst<Row extends Model & Cursor>(
  query: QueryBuilder<Row>,
  { limit, after }: PageRequest,
): QueryBuilder<Row> {
  if (after !== null) void query.whereRaw('(created_at, id) < (:createdAt, :id)', { ...after });
  return query
    .orderBy([
      { column: 'createdAt', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(limit + 1);
}

/** The rows of a list in batches, which bound the memory of a long answer: no connection waits for the reader between two. */
export async function* inPages<Row>(
  list: (page: PageRequest) => Promise<Page<Row>>,
): AsyncGenerator<readonly Row[]> {
  for (let after: PageRequest['after'] = null; ;) {
    const { rows, next }: Page<Row> = await list({ limit: BATCH, after });
    yield rows;
    if (next === null) return;
    after = next;
  }
}

/** One page of a query over rows with `createdAt` and `id`, newest first. */
export async function keysetPage<Row extends Model & Cursor>(query: QueryBuilder<Row>, page: PageRequest) {
  const { limit } = page;
  const found = await newestFirst(query, page);
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const next = found.length > limit && last !== undefined ? { createdAt: last.createdAt, id: last.id } : null;
  return { rows, next };
}
