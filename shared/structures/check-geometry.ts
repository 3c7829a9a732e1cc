import { pointerTo } from '../package/text/json-pointer.ts';
import { findRingIssue } from './check-rings.ts';
import type { FaultList } from './fault-list.ts';
import type { Geometry, Position, Rings } from './structure.ts';

/** Positions of one geometry; a field mapped to the decimetre stays far below. */
const MAX_POSITIONS = 10_000;

/** After so many faults of one geometry the rest of it is not looked at. */
const MAX_FAULTS = 10;

type GeometryType = Geometry['type'];

/** What a boundary can be. */
export const SURFACE_TYPES: readonly GeometryType[] = ['Polygon', 'MultiPolygon'];
/** What a location can be. */
export const LOCATION_TYPES: readonly GeometryType[] = ['Point'];
/** What the geometry of a block can be: an area, a row, or a single place. */
export const BLOCK_TYPES: readonly GeometryType[] = ['Polygon', 'MultiPolygon', 'Point', 'LineString'];

/** How many arrays lie around a position. */
const DEPTHS: Readonly<Record<GeometryType, number>> = {
  Point: 0,
  LineString: 1,
  Polygon: 2,
  MultiPolygon: 3,
};

/** The geometry, checked against RFC 7946 and without bbox; null after faults. */
export function checkGeometry(
  value: unknown,
  types: readonly GeometryType[],
  pointer: string,
  faults: FaultList,
): Geometry | null {
  const before = faults.total;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    faults.add(pointer, `The geometry must be a GeoJSON object: ${types.join(' or ')}.`);
    return null;
  }
  checkMembers(value, pointer, faults);
  const { type, coordinates } = value as { type?: unknown; coordinates?: unknown };
  const known = types.find((each) => each === type);
  if (known === undefined) {
    faults.add(pointerTo(pointer, 'type'), `The type of this geometry must be ${types.join(' or ')}.`);
    return null;
  }
  new CoordinateCheck(faults).check(known, coordinates, pointerTo(pointer, 'coordinates'));
  return faults.total === before ? ({ type: known, coordinates } as Geometry) : null;
}

function checkMembers(value: object, pointer: string, faults: FaultList): void {
  if ('crs' in value) {
    faults.add(pointerTo(pointer, 'crs'), 'GeoJSON is WGS 84 (RFC 7946 section 4); crs is not taken.');
  }
  const unknown = Object.keys(value).filter((key) => !['type', 'coordinates', 'bbox', 'crs'].includes(key));
  for (const key of unknown.slice(0, MAX_FAULTS)) {
    faults.add(pointerTo(pointer, key), 'A geometry has no such member.');
  }
}

/** Walks coordinates no deeper than their type says, and no further than the limits. */
class CoordinateCheck {
  readonly #faults: FaultList;
  #faultsLeft = MAX_FAULTS;
  #positionsLeft = MAX_POSITIONS;

  constructor(faults: FaultList) {
    this.#faults = faults;
  }

  check(type: GeometryType, coordinates: unknown, pointer: string): void {
    this.#walk(coordinates, DEPTHS[type], type, pointer);
  }

  get #isOver(): boolean {
    return this.#faultsLeft <= 0 || this.#positionsLeft < 0;
  }

  #add(pointer: string, detail: string): void {
    this.#faultsLeft -= 1;
    this.#faults.add(pointer, detail);
  }

  #walk(value: unknown, depth: number, type: GeometryType, pointer: string): void {
    if (depth === 0) {
      this.#position(value, pointer);
      return;
    }
    if (!Array.isArray(value) || value.length === 0) {
      this.#add(pointer, 'There must be an array with at least one element here.');
      return;
    }
    const faultsLeft = this.#faultsLeft;
    for (const [index, each] of value.entries()) {
      if (this.#isOver) return;
      this.#walk(each, depth - 1, type, `${pointer}/${index}`);
    }
    if (faultsLeft === this.#faultsLeft && !this.#isOver) this.#whole(value, depth, type, pointer);
  }

  #position(value: unknown, pointer: string): void {
    this.#positionsLeft -= 1;
    if (this.#positionsLeft < 0) {
      this.#add(pointer, `A geometry has at most ${MAX_POSITIONS} positions.`);
      return;
    }
    const detail = positionFault(value);
    if (detail !== null) this.#add(pointer, detail);
  }

  /** What is told only when every position of a line, ring or polygon is good. */
  #whole(value: readonly unknown[], depth: number, type: GeometryType, pointer: string): void {
    if (type === 'LineString') {
      if (value.length < 2) this.#add(pointer, 'A line has two positions or more.');
      return;
    }
    if (depth === 1) this.#ring(value as readonly Position[], pointer);
    if (depth === 2) this.#polygon(value as Rings, pointer);
  }

  #ring(ring: readonly Position[], pointer: string): void {
    const [first, last] = [ring[0], ring.at(-1)];
    if (ring.length < 4) {
      this.#add(pointer, 'A ring has four positions or more; the last one is the first again.');
    } else if (String(first) !== String(last)) {
      this.#add(pointer, 'The ring is not closed: its last position must be the first again.');
    }
  }

  #polygon(rings: Rings, pointer: string): void {
    const fault = findRingIssue(rings);
    if (fault !== null) this.#add(`${pointer}/${fault.ring}/${fault.position}`, fault.detail);
  }
}

function positionFault(value: unknown): string | null {
  if (!Array.isArray(value) || value.length < 2 || value.length > 3 || !value.every(isFiniteNumber)) {
    return 'A position is an array of two or three finite numbers: longitude, latitude and, if known, height.';
  }
  const [longitude, latitude] = value as [number, number];
  if (Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90) return null;
  const isSwapped = Math.abs(longitude) <= 90 && Math.abs(latitude) <= 180;
  return `Longitude is within -180 and 180, latitude within -90 and 90${isSwapped ? '; longitude comes first' : ''}.`;
}

function isFiniteNumber(value: unknown): boolean {
  return Number.isFinite(value);
}
