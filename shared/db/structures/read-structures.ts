import pg from 'pg';
import Cursor from 'pg-cursor';
import { outsideSpans } from '../../telemetry/current-span.ts';
import type { Log } from '../../telemetry/log.ts';
import type { PoolUse } from '../database.ts';

/** How structures are written: nested in farms, or each as a GeoJSON feature. */
export type StructureForm = 'nested' | 'features';

/** One structure of an answer; the rows of a farm follow each other, parents before their children. */
export interface StructureRow {
  readonly kind: 'farm' | 'field' | 'block' | 'irrigationStation';
  readonly isArchived: boolean;
  /** A JSON object, without the structures that are nested in it. */
  readonly json: string;
}

const ROWS_AT_ONCE = 500;
const POOL_SIZE = 8;

/*
 * A row is one text: a letter for its kind, one for its status, and its JSON, built by the
 * database. One column costs a fraction of what four cost to read.
 */
const MARK = `
  case kind when 'farm' then 'F' when 'field' then 'D' when 'block' then 'B' else 'S' end
  || case status when 'archived' then '-' else '+' end`;

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
    order by farm_id, section, branch_id, level, id`;
}

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
  const kind = KINDS[text.charAt(0)];
  if (kind === undefined) throw new Error('a structure of an unknown kind');
  return { kind, isArchived: text.charAt(1) === '-', json: text.slice(2) };
}

/**
 * Reads structures on connections of its own, so that long answers never use up those of other calls. An
 * organization is read in one statement: the answer is consistent.
 */
export class StructureReader {
  readonly #pool: pg.Pool;

  constructor(url: string, log: Log) {
    this.#pool = new pg.Pool({
      connectionString: url,
      max: POOL_SIZE,
      application_name: 'structure-reader',
      connectionTimeoutMillis: 10_000,
    });
    this.#pool.on('error', (error) => {
      outsideSpans(() => {
        log.warn({ err: error }, 'connection of the structure reader failed');
      });
    });
  }

  /** The structures of an organization, some hundred at a time; no more are read than are consumed. */
  async *batches(organizationId: string, form: StructureForm): AsyncGenerator<readonly StructureRow[]> {
    const client = await this.#pool.connect();
    const cursor = client.query(
      new Cursor<[string]>(query(form, '$1'), [organizationId], { rowMode: 'array' }),
    );
    let isDone = false;
    try {
      for (;;) {
        const rows = await cursor.read(ROWS_AT_ONCE);
        if (rows.length === 0) break;
        yield rows.map(([text]) => toRow(text));
      }
      isDone = true;
    } finally {
      if (isDone) await cursor.close();
      // A connection whose reader stops in the middle is closed: draining it could take as long as reading it.
      client.release(!isDone);
    }
  }

  /** How its connections are used now. */
  poolUse(): PoolUse {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { used: totalCount - idleCount, free: idleCount, pending: waitingCount, max: POOL_SIZE };
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}
