import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { TestApp, TestOrganization } from './test-app.ts';

/** A field near Utrecht. */
export const SQUARE = {
  type: 'Polygon',
  coordinates: [
    [
      [5, 52],
      [5.01, 52],
      [5.01, 52.01],
      [5, 52.01],
      [5, 52],
    ],
  ],
};
/** A point in the field. */
export const POINT = { type: 'Point', coordinates: [5.005, 52.005] };

interface Row {
  readonly kind: string;
  readonly status: string;
  readonly farmId: string;
  readonly fieldId: string | null;
  readonly section: number;
  readonly branchId: string;
  readonly level: number;
  readonly members: Readonly<Record<string, unknown>>;
  readonly names: readonly string[];
  readonly geometry: unknown;
}

interface Send {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly raw?: string;
}

/** Writes structures of a farmer; the method, headers and text of the body can be overridden. */
export async function putStructures(
  app: TestApp,
  farmer: TestOrganization,
  body: unknown,
  { method = 'PUT', headers = {}, raw }: Send = {},
) {
  return app.fetch(`/api/v8.0/${farmer.id}/structures`, {
    method,
    headers: { Authorization: farmer.admin, 'Content-Type': 'application/json', ...headers },
    ...(method === 'PUT' && { body: raw ?? JSON.stringify(body) }),
  });
}

/** The rows of a farmer by ID, with their members read. */
export async function storedStructures(
  app: TestApp,
  farmer: TestOrganization,
): Promise<ReadonlyMap<string, Row>> {
  type TextRow = Omit<Row, 'members' | 'names'> & { id: string; members: string; geometry: string | null };
  const rows = await app.api
    .database('structures')
    .where({ organizationId: farmer.id })
    .select<TextRow[]>('*');
  return new Map(
    rows.map((row) => {
      const members = JSON.parse(`{${row.members}}`) as Row['members'];
      const geometry: unknown = row.geometry === null ? null : JSON.parse(row.geometry);
      return [row.id, { ...row, members, names: Object.keys(members), geometry }];
    }),
  );
}

/** The set's counts, after comparing them to the rows. */
export async function structureSetOf(
  app: TestApp,
  farmer: TestOrganization,
): Promise<{ version: number; structures: number } | undefined> {
  const set = await app.api
    .database('structure_sets')
    .where({ organizationId: farmer.id })
    .first<{ version: number; structures: number; bytes: number } | undefined>();
  const { rows } = await app.api.database.raw<{ rows: [{ structures: number; bytes: number }] }>(
    `select count(*) as structures, coalesce(sum(length(members) + coalesce(length(geometry), 0)), 0)::bigint as bytes
     from structures where organization_id = ?`,
    [farmer.id],
  );
  if (set !== undefined) expect(set).toMatchObject(rows[0]);
  return set && { version: set.version, structures: set.structures };
}

/** A farm of new IDs with a field, a block and a station, whole and in its parts. */
export function sampleStructures() {
  const ids = { farm: randomUUID(), field: randomUUID(), block: randomUUID(), station: randomUUID() };
  const block = { id: ids.block, name: 'North', geometry: POINT, irrigationStationIds: [ids.station] };
  const field = { id: ids.field, name: 'Hill', boundary: SQUARE, blocks: [block] };
  const station = { id: ids.station, name: 'Pump 1', kind: 'pump', location: POINT, maxFlowM3PerHour: 12.5 };
  const farm = {
    id: ids.farm,
    name: 'Høgård "é 🌾"',
    countryCode: 'NL',
    timeZone: 'Europe/Amsterdam',
    location: POINT,
    externalIds: [{ source: 'erp', id: '1' }],
    fields: [field],
    irrigationStations: [station],
  };
  return { ids, block, field, station, farm, body: { farms: [farm] } };
}

/** A feature of GeoJSON for a structure. */
export function feature(structureType: string, id: string, geometry: unknown, properties: object) {
  return { type: 'Feature', id, geometry, properties: { structureType, ...properties } };
}
