import { pointerTo } from '../package/text/json-pointer.ts';
import { findRingIssue } from './check-rings.ts';
import { isMembers } from '../package/schema/read-members.ts';
import type { Geometry, Position, Rings } from './structure.ts';

/** Positions of one geometry; a field mapped to the decimetre stays far below. */
const MAX_POSITIONS = 10_000;

/** The most issues that are reported of one geometry; the rest of it is then not checked. */
const MAX_ISSUES = 10;

type GeometryType = Geometry['type'];

/** What is wrong with a geometry, for those that say it in their own words. */
export type GeometryIssueKind =
  'malformed' | 'outOfRange' | 'tooManyPositions' | 'openRing' | 'crossingRings';

/** Collects the issues of geometries. */
interface GeometryIssues {
  readonly total: number;
  add(pointer: string, detail: string, kind: GeometryIssueKind): void;
}

/** The kinds of boundaries. */
export const SURFACE_TYPES: readonly GeometryType[] = ['Polygon', 'MultiPolygon'];
/** The kinds of locations. */
export const LOCATION_TYPES: readonly GeometryType[] = ['Point'];
/** The kinds of a block's geometry: an area, a row, or a single point. */
export const BLOCK_TYPES: readonly GeometryType[] = ['Polygon', 'MultiPolygon', 'Point', 'LineString'];

/** The geometry, checked against RFC 7946 and without bbox; null after issues. */
export function checkGeometry(
  value: unknown,
  types: readonly GeometryType[],
  pointer: string,
  issues: GeometryIssues,
): Geometry | null {
  const before = issues.total;
  if (!isMembers(value)) {
    issues.add(pointer, `The geometry must be a GeoJSON object: ${types.join(' or ')}.`, 'malformed');
    return null;
  }
  checkMembers(value, pointer, issues);
  const type = types.find((each) => each === value['type']);
  if (type === undefined) {
    const detail = `The type of this geometry must be ${types.join(' or ')}.`;
    issues.add(pointerTo(pointer, 'type'), detail, 'malformed');
    return null;
  }
  const geometry = new CoordinateReader(issues).read(type, value['coordinates'], `${pointer}/coordinates`);
  return issues.total === before ? geometry : null;
}

function checkMembers(value: object, pointer: string, issues: GeometryIssues): void {
  if ('crs' in value) {
    const detail = 'GeoJSON is WGS 84 (RFC 7946 section 4); crs is not taken.';
    issues.add(pointerTo(pointer, 'crs'), detail, 'malformed');
  }
  const unknown = Object.keys(value).filter((key) => !['type', 'coordinates', 'bbox', 'crs'].includes(key));
  for (const key of unknown.slice(0, MAX_ISSUES)) {
    issues.add(pointerTo(pointer, key), 'A geometry has no such member.', 'malformed');
  }
}

/** Reads coordinates no deeper than their type says, and no further than the limits. */
class CoordinateReader {
  readonly #issues: GeometryIssues;
  #issuesLeft = MAX_ISSUES;
  #positionsLeft = MAX_POSITIONS;

  constructor(issues: GeometryIssues) {
    this.#issues = issues;
  }

  /** Null after an issue. */
  read(type: GeometryType, value: unknown, pointer: string): Geometry | null {
    switch (type) {
      case 'Point': {
        const coordinates = this.#position(value, pointer);
        return coordinates && { type, coordinates };
      }
      case 'LineString': {
        const coordinates = this.#line(value, pointer);
        return coordinates && { type, coordinates };
      }
      case 'Polygon': {
        const coordinates = this.#polygon(value, pointer);
        return coordinates && { type, coordinates };
      }
      case 'MultiPolygon': {
        const coordinates = this.#list(value, pointer, this.#polygon.bind(this));
        return coordinates && { type, coordinates };
      }
    }
  }

  get #isOver(): boolean {
    return this.#issuesLeft <= 0 || this.#positionsLeft < 0;
  }

  #add(pointer: string, kind: GeometryIssueKind, detail: string): null {
    this.#issuesLeft -= 1;
    this.#issues.add(pointer, detail, kind);
    return null;
  }

  /** The elements of an array of one or more; null after an issue of any of them. */
  #list<Item>(
    value: unknown,
    pointer: string,
    read: (element: unknown, pointer: string) => Item | null,
  ): readonly Item[] | null {
    if (!Array.isArray(value) || value.length === 0)
      return this.#add(pointer, 'malformed', 'There must be an array with at least one element here.');
    const items: Item[] = [];
    for (const [index, element] of value.entries()) {
      if (this.#isOver) return null;
      const item = read(element, `${pointer}/${index}`);
      if (item !== null) items.push(item);
    }
    return items.length === value.length ? items : null;
  }

  #position(value: unknown, pointer: string): Position | null {
    this.#positionsLeft -= 1;
    if (this.#positionsLeft < 0)
      return this.#add(pointer, 'tooManyPositions', `A geometry has at most ${MAX_POSITIONS} positions.`);
    if (!isPosition(value)) return this.#add(pointer, 'malformed', NOT_A_POSITION);
    const detail = outOfRange(value);
    return detail === null ? value : this.#add(pointer, 'outOfRange', detail);
  }

  #positions(value: unknown, pointer: string): readonly Position[] | null {
    return this.#list(value, pointer, this.#position.bind(this));
  }

  #line(value: unknown, pointer: string): readonly Position[] | null {
    const line = this.#positions(value, pointer);
    return line?.length === 1 ? this.#add(pointer, 'malformed', 'A line has two positions or more.') : line;
  }

  #ring(value: unknown, pointer: string): readonly Position[] | null {
    const ring = this.#positions(value, pointer);
    if (ring === null) return null;
    if (ring.length < 4)
      return this.#add(
        pointer,
        'openRing',
        'A ring has four positions or more; the last one is the first again.',
      );
    const isClosed = String(ring[0]) === String(ring.at(-1));
    if (isClosed) return ring;
    const detail = 'The ring is not closed: its last position must be the first again.';
    return this.#add(pointer, 'openRing', detail);
  }

  #polygon(value: unknown, pointer: string): Rings | null {
    const rings = this.#list(value, pointer, this.#ring.bind(this));
    const issue = rings && findRingIssue(rings);
    if (!issue) return rings;
    return this.#add(`${pointer}/${issue.ring}/${issue.position}`, 'crossingRings', issue.detail);
  }
}

const NOT_A_POSITION =
  'A position is an array of two or three finite numbers: longitude, latitude and, if known, height.';

function isPosition(value: unknown): value is Position {
  return Array.isArray(value) && value.length >= 2 && value.length <= 3 && value.every(Number.isFinite);
}

function outOfRange([longitude = 0, latitude = 0]: Position): string | null {
  if (Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90) return null;
  const isSwapped = Math.abs(longitude) <= 90 && Math.abs(latitude) <= 180;
  return `Longitude is within -180 and 180, latitude within -90 and 90${isSwapped ? '; longitude comes first' : ''}.`;
}
