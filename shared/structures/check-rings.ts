import { sideOfLine, OUTSIDE, ringEdges } from './ring-edges.ts';
import type { RingEdges } from './ring-edges.ts';
import type { Rings } from './structure.ts';

/** Where a polygon is no polygon. */
export interface RingFault {
  readonly ring: number;
  /** The position where the edge starts. */
  readonly position: number;
  readonly detail: string;
}

/**
 * Whether the closed rings of a polygon neither cross nor touch but at a common position, and whether its
 * holes lie within it and outside each other: the first fault from the west.
 *
 * A line sweeps from west to east over the edges (Shamos and Hoey, 1976) and looks at neighbours only:
 * n log n for every input, where comparing pairs would let a body of ten megabytes hold a processor for
 * minutes. Signs of areas are exact, so that rounding cannot spoil the order of the edges.
 */
export function findRingFault(rings: Rings): RingFault | null {
  const edges = ringEdges(rings);
  if (typeof edges === 'number') return { ring: edges, position: 0, detail: 'The ring encloses nothing.' };
  return new Sweep(edges).run();
}

class Sweep {
  readonly #edges: RingEdges;
  /** Edges that the line now cuts, from south to north. */
  readonly #cut: Int32Array;
  #size = 0;

  constructor(edges: RingEdges) {
    this.#edges = edges;
    this.#cut = new Int32Array(edges.count);
  }

  run(): RingFault | null {
    const ends = this.#sortedEnds();
    let next = 0;
    while (next < ends.length) {
      const first = next;
      while (next < ends.length && this.#compareEnds(ends[first] ?? 0, ends[next] ?? 0) === 0) next += 1;
      const fault = this.#visit(ends.subarray(first, next));
      if (fault !== null) return fault;
    }
    return null;
  }

  /** Both ends of each edge: 2 × edge for the left one, + 1 for the right one. */
  #sortedEnds(): Int32Array {
    return Int32Array.from({ length: 2 * this.#edges.count }, (_, end) => end).sort(
      (a, b) => this.#compareEnds(a, b) || (b & 1) - (a & 1),
    );
  }

  #compareEnds(a: number, b: number): number {
    return this.#x(a) - this.#x(b) || this.#y(a) - this.#y(b);
  }

  #x(end: number): number {
    return ((end & 1) === 0 ? this.#edges.leftX : this.#edges.rightX)[end >> 1] ?? 0;
  }

  #y(end: number): number {
    return ((end & 1) === 0 ? this.#edges.leftY : this.#edges.rightY)[end >> 1] ?? 0;
  }

  /** Passes one point: edges that end there leave, those that start there come in. */
  #visit(ends: Int32Array): RingFault | null {
    let lowest = this.#size;
    let started = 0;
    for (const end of ends) {
      if ((end & 1) === 1) {
        lowest = this.#leave(end >> 1);
        continue;
      }
      const place = this.#placeFor(end >> 1);
      if (typeof place !== 'number') return place;
      this.#enter(end >> 1, place);
      // What starts at one point stands together.
      lowest = started === 0 ? place : Math.min(lowest, place);
      started += 1;
    }
    for (let place = lowest; place <= lowest + started; place += 1) {
      const fault = this.#checkNeighbours(place - 1, place);
      if (fault !== null) return fault;
    }
    return null;
  }

  #leave(edge: number): number {
    const place = this.#cut.subarray(0, this.#size).indexOf(edge);
    this.#cut.copyWithin(place, place + 1, this.#size);
    this.#size -= 1;
    return place;
  }

  #enter(edge: number, place: number): void {
    this.#cut.copyWithin(place + 1, place, this.#size);
    this.#cut[place] = edge;
    this.#size += 1;
  }

  #placeFor(edge: number): number | RingFault {
    let low = 0;
    let high = this.#size;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#cut[middle] ?? 0;
      const side = this.#sideOf(edge, other);
      if (side === 0) return this.#meeting(edge, other);
      if (side > 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether an edge that starts now runs above or below another; 0 where they meet as they must not. */
  #sideOf(edge: number, other: number): number {
    const side = this.#sideOfEnd(other, 2 * edge);
    if (side !== 0 || this.#compareEnds(2 * edge, 2 * other) !== 0) return side;
    return this.#sideOfEnd(other, 2 * edge + 1);
  }

  #sideOfEnd(edge: number, end: number): number {
    const left = 2 * edge;
    const right = left + 1;
    return sideOfLine(
      this.#x(left),
      this.#y(left),
      this.#x(right),
      this.#y(right),
      this.#x(end),
      this.#y(end),
    );
  }

  #checkNeighbours(lower: number, upper: number): RingFault | null {
    const [low, high] = [this.#edgeAt(lower), this.#edgeAt(upper)];
    if (low !== null && high !== null && this.#meet(low, high)) return this.#meeting(high, low);
    const between = low === null ? OUTSIDE : this.#edges.above[low];
    if (between === (high === null ? OUTSIDE : this.#edges.below[high])) return null;
    return this.#misplaced(low, high);
  }

  #edgeAt(place: number): number | null {
    return place < 0 || place >= this.#size ? null : (this.#cut[place] ?? null);
  }

  /** Whether two edges have more in common than an end. */
  #meet(a: number, b: number): boolean {
    const [left, right] = [this.#sideOfEnd(a, 2 * b), this.#sideOfEnd(a, 2 * b + 1)];
    // On one line they overlap where the later one starts before the other ends: both are cut now.
    if (left === 0 && right === 0) return this.#overlap(a, b);
    if (this.#shareEnd(a, b)) return false;
    if (Math.sign(left) * Math.sign(right) > 0) return false;
    return Math.sign(this.#sideOfEnd(b, 2 * a)) * Math.sign(this.#sideOfEnd(b, 2 * a + 1)) <= 0;
  }

  #overlap(a: number, b: number): boolean {
    return this.#compareEnds(2 * a, 2 * b + 1) < 0 && this.#compareEnds(2 * b, 2 * a + 1) < 0;
  }

  #shareEnd(a: number, b: number): boolean {
    return [2 * a, 2 * a + 1].some(
      (end) => this.#compareEnds(end, 2 * b) === 0 || this.#compareEnds(end, 2 * b + 1) === 0,
    );
  }

  #meeting(edge: number, other: number): RingFault {
    const { ring, position } = this.#edges;
    const detail = `The edge from this position meets the edge from position ${position[other] ?? 0} of ring ${ring[other] ?? 0}: rings must not cross, nor touch but at a position of both.`;
    return { ring: ring[edge] ?? 0, position: position[edge] ?? 0, detail };
  }

  /** The regions on both sides of the gap between two edges differ: one ring is not where it should be. */
  #misplaced(low: number | null, high: number | null): RingFault {
    const { ring, position } = this.#edges;
    const sides = [low, high].filter((edge) => edge !== null);
    const [edge = 0] = sides.toSorted((a, b) => (ring[b] ?? 0) - (ring[a] ?? 0));
    const isHole = (ring[edge] ?? 0) > 0 && new Set(sides.map((each) => ring[each])).size === sides.length;
    const detail = isHole
      ? 'The hole must lie within the outer ring and outside every other hole.'
      : 'The ring crosses itself at this position.';
    return { ring: ring[edge] ?? 0, position: position[edge] ?? 0, detail };
  }
}
