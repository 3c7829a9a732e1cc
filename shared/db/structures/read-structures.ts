import pg from 'pg';
import { outsideSpans } from '../../telemetry/current-span.ts';
import type { Log } from '../../telemetry/log.ts';
import type { PoolUse } from '../database.ts';
import { sessionOptions } from '../session-options.ts';
import { Snapshot } from './snapshot.ts';

/** How structures are written: nested in farms, or each as a GeoJSON feature. */
export type StructureForm = 'nested' | 'features';

/** One structure of an answer; the rows of a farm follow each other, parents before their children. */
export interface StructureRow {
  readonly kind: 'farm' | 'field' | 'block' | 'irrigationStation';
  readonly isArchived: boolean;
  /** A JSON object, without the structures that are nested in it. */
  readonly json: string;
}

/** The most rows of a page, and the most bytes of one with several rows: a single structure may have half a megabyte. */
const PAGE_ROWS = 1_000;
const PAGE_BYTES = 2 * 1024 * 1024;
/** Connections of the pool for long answers. */
export const STRUCTURE_CONNECTIONS = 8;

/** The order of every answer, which the index `structures_in_order` has. */
const ORDER = 'farm_id, section, branch_id, level, id';

/*
 * A row is one text: its ID, a letter for its kind, one for its status, and its JSON, built by the database. One column
 * costs a fraction of reading four.
 */
const MARK = `
  id || case kind when 'farm' then 'F' when 'field' then 'D' when 'block' then 'B' else 'S' end
  || case status when 'archived' then '-' else '+' end`;
const ID_LENGTH = 36;

const SELECT: Record<StructureForm, string> = {
  nested: `
    ${MARK} || '{' || members || case kind when 'block' then ',"geometry":'
      when 'irrigationStation' then ',"location":' else ',"boundary":' end
    || coalesce(geometry, 'null') || '}'`,
  features: `
    ${MARK} || '{"type":"Feature","id":"' || id || '","geometry":'
    || coalesce(geometry, case kind when 'farm' then ('{' || members || '}')::json ->> 'location' end, 'null')
    || ',"properties":{"structureType":"' || kind || '","organizationId":"' || organization_id || '",' || members || '}}'`,
};

function query(form: StructureForm, organizationId: string): string {
  return `select ${SELECT[form]} from structures where organization_id = ${organizationId}
    order by ${ORDER}`;
}

/*
 * $1 the organization, $2 the last structure of the previous page. The first row has the version and the most rows of the
 * page, which depends on the organization's largest structure. One statement, so that all belong to one state.
 */
function pageQuery(form: StructureForm, isFirst: boolean): string {
  const after = `(${ORDER}) > (select ${ORDER} from structures where organization_id = $1::uuid and id = $2::uuid)`;
  return `
    with state as materialized (
      select version, greatest(1, least(${PAGE_ROWS}, ${PAGE_BYTES} / greatest(largest_bytes, 1))) as page_rows
      from structure_sets where organization_id = $1::uuid
    )
    select (select version || ' ' || page_rows from state)
    union all (
      select ${SELECT[form]} from structures
      where organization_id = $1::uuid and ${isFirst ? '$2::uuid is null' : after}
      order by ${ORDER} limit (select page_rows from state)
    )`;
}

const PAGE_QUERIES: Record<StructureForm, Record<'first' | 'next', string>> = {
  nested: { first: pageQuery('nested', true), next: pageQuery('nested', false) },
  features: { first: pageQuery('features', true), next: pageQuery('features', false) },
};

/** JSON that PostgreSQL or this service wrote has no line break: strings escape it. */
const BETWEEN_ROWS = '\n';

/**
 * An SQL expression: the structures of an organization, which another expression names, as one text. `most`
 * is the most that such an organization has: it keeps the planner, which knows only the average organization,
 * from sorting what the index already orders.
 */
export function structuresAsText(form: StructureForm, organizationId: string, most: number): string {
  return `array_to_string(array(${query(form, organizationId)} limit ${most}), E'\\n')`;
}

/** The structures in a text that `structuresAsText` made. */
export function structuresOfText(text: string): readonly StructureRow[] {
  return text === '' ? [] : text.split(BETWEEN_ROWS).map(toRow);
}

const KINDS: Record<string, StructureRow['kind']> = {
  F: 'farm',
  D: 'field',
  B: 'block',
  S: 'irrigationStation',
};

function toRow(text: string): StructureRow {
  const kind = KINDS[text.charAt(ID_LENGTH)];
  if (kind === undefined) throw new Error('a structure of an unknown kind');
  return { kind, isArchived: text.charAt(ID_LENGTH + 1) === '-', json: text.slice(ID_LENGTH + 2) };
}

/** An organization's structures were changed while they were read: the rest would not fit what was read before. */
export class StructuresChangedError extends Error {
  override readonly name = 'StructuresChangedError';
}

/** The organization whose structures are read, and about how many they are. */
export interface StructureSet {
  readonly organizationId: string;
  readonly structures: number;
  /** The state that must be read; without it, the current one. */
  readonly onlyVersion?: number;
}

interface Page {
  readonly version: string;
  readonly rows: readonly StructureRow[];
  /** Null: there are no more. */
  readonly lastId: string | null;
}

/**
 * Reads structures on connections of its own, so that long answers never use up those of other calls. A consumer may
 * take as long as it likes: while it does, no connection and no transaction is held for it.
 */
export class StructureReader {
  readonly #pool: pg.Pool;
  readonly #snapshotMs: number;

  constructor(url: string, log: Log, snapshotSeconds: number) {
    this.#snapshotMs = snapshotSeconds * 1_000;
    this.#pool = new pg.Pool({
      connectionString: url,
      max: STRUCTURE_CONNECTIONS,
      application_name: 'structure-reader',
      connectionTimeoutMillis: 10_000,
      // The index has the order: the planner, which knows only the average organization, would sort a large one. Nor may
      // workers in parallel change the order.
      options: `${sessionOptions()} -c enable_sort=off -c max_parallel_workers_per_gather=0`,
    });
    this.#pool.on('error', (error) =>
      outsideSpans(() => log.warn({ err: error }, 'structure reader connection failed')),
    );
  }

  /**
   * The structures of an organization in pages of one state: first from a snapshot, so that writers do not disturb a
   * quick reader; when that has been held for long enough, in single statements as long as the state is still the same.
   * @throws StructuresChangedError if it is not, or is another than the one that the caller has found.
   */
  async *pages(
    { organizationId, structures, onlyVersion }: StructureSet,
    form: StructureForm,
  ): AsyncGenerator<readonly StructureRow[]> {
    // One statement needs no snapshot.
    let snapshot = structures > PAGE_ROWS ? await this.#openSnapshot() : null;
    let before: Page | null = null;
    try {
      do {
        const connection = snapshot?.client ?? this.#pool;
        const page: Page = await readPage(connection, form, organizationId, before);
        if (onlyVersion !== undefined && page.version !== String(onlyVersion))
          throw new StructuresChangedError();
        if (snapshot === null && page.lastId !== null) {
          // Few structures, but large ones.
          snapshot = await this.#openSnapshot();
          continue;
        }
        if (page.lastId === null) snapshot?.end();
        snapshot?.startWaiting();
        yield page.rows;
        snapshot?.stopWaiting();
        before = page;
      } while (before?.lastId !== null);
    } finally {
      snapshot?.end();
    }
  }

  async #openSnapshot(): Promise<Snapshot> {
    return Snapshot.open(this.#pool, this.#snapshotMs);
  }

  poolUse(): PoolUse {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return {
      used: totalCount - idleCount,
      free: idleCount,
      pending: waitingCount,
      max: STRUCTURE_CONNECTIONS,
    };
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/** The first page, or the one after another. @throws StructuresChangedError if they are not of one state. */
async function readPage(
  connection: pg.Pool | pg.PoolClient,
  form: StructureForm,
  organizationId: string,
  before: Page | null,
): Promise<Page> {
  const text = PAGE_QUERIES[form][before === null ? 'first' : 'next'];
  const values = [organizationId, before?.lastId ?? null];
  const result = await connection.query<[string | null]>({ text, values, rowMode: 'array' });
  const [state, ...texts] = result.rows.map(([each]) => each ?? '');
  const [version = '', pageRows = ''] = (state ?? '').split(' ');
  if (before !== null && version !== before.version) throw new StructuresChangedError();
  const lastId = texts.length < Number(pageRows) ? undefined : texts.at(-1)?.slice(0, ID_LENGTH);
  return { version, rows: texts.map(toRow), lastId: lastId ?? null };
}
