import { orient2d } from 'robust-predicates';
import type { Position, Rings } from './structure.ts';

/** What lies on one side of an edge; a hole has the number of its ring. */
export const OUTSIDE = -1;
const INSIDE = 0;

/** The edges of a polygon, each from its left end (x, then y) to its right end. */
export interface RingEdges {
  readonly count: number;
  readonly leftX: Float64Array;
  readonly leftY: Float64Array;
  readonly rightX: Float64Array;
  readonly rightY: Float64Array;
  readonly ring: Int32Array;
  /** The position in its ring where the edge starts. */
  readonly position: Int32Array;
  readonly below: Int32Array;
  readonly above: Int32Array;
}

interface Corner {
  readonly x: number;
  readonly y: number;
  readonly position: number;
}

/** The edges of closed rings; the number of the first ring that encloses nothing where there is one. */
export function ringEdges(rings: Rings): RingEdges | number {
  const corners = rings.map(cornersOf);
  const empty = corners.findIndex((each) => each.length < 3);
  if (empty >= 0) return empty;
  const edges = emptyEdges(corners.reduce((sum, each) => sum + each.length, 0));
  let next = 0;
  for (const [ring, each] of corners.entries()) {
    const isCounterclockwise = turnsLeft(each);
    for (const [index, from] of each.entries()) {
      putEdge(edges, next, ring, from, at(each, index + 1), isCounterclockwise);
      next += 1;
    }
  }
  return edges;
}

/** The corners once each: positions that repeat the one before are no corner. */
function cornersOf(ring: readonly Position[]): readonly Corner[] {
  const corners: Corner[] = [];
  for (const [position, [x = 0, y = 0]] of ring.entries()) {
    const last = corners.at(-1);
    if (last?.x !== x || last.y !== y) corners.push({ x, y, position });
  }
  // The last position is the first again.
  corners.pop();
  return corners;
}

function at(corners: readonly Corner[], index: number): Corner {
  const corner = corners[(index + corners.length) % corners.length];
  if (corner === undefined) throw new Error('a ring has no corner');
  return corner;
}

/** Whether a ring runs counterclockwise: told exactly at its leftmost corner, where it always bulges. */
function turnsLeft(corners: readonly Corner[]): boolean {
  let leftmost = 0;
  for (const [index, corner] of corners.entries()) {
    if (isBefore(corner, at(corners, leftmost))) leftmost = index;
  }
  const [a, b, c] = [at(corners, leftmost - 1), at(corners, leftmost), at(corners, leftmost + 1)];
  return sideOfLine(a.x, a.y, b.x, b.y, c.x, c.y) > 0;
}

function isBefore(a: Corner, b: Corner): boolean {
  return a.x < b.x || (a.x === b.x && a.y < b.y);
}

/** On which side of the line a-b the point c lies: above 0 on its left, below 0 on its right; exact. */
// eslint-disable-next-line max-params -- three points without an object each, for millions of calls
export function sideOfLine(ax: number, ay: number, bx: number, by: number, cx: number, cy: number): number {
  return -orient2d(ax, ay, bx, by, cx, cy);
}

function emptyEdges(count: number): RingEdges {
  return {
    count,
    leftX: new Float64Array(count),
    leftY: new Float64Array(count),
    rightX: new Float64Array(count),
    rightY: new Float64Array(count),
    ring: new Int32Array(count),
    position: new Int32Array(count),
    below: new Int32Array(count),
    above: new Int32Array(count),
  };
}

// eslint-disable-next-line max-params -- one edge of a ring, written into its columns
function putEdge(
  edges: RingEdges,
  index: number,
  ring: number,
  from: Corner,
  to: Corner,
  isCounterclockwise: boolean,
): void {
  const goesRight = isBefore(from, to);
  const [left, right] = goesRight ? [from, to] : [to, from];
  edges.leftX[index] = left.x;
  edges.leftY[index] = left.y;
  edges.rightX[index] = right.x;
  edges.rightY[index] = right.y;
  edges.ring[index] = ring;
  edges.position[index] = from.position;
  const [within, without] = ring === 0 ? [INSIDE, OUTSIDE] : [ring, INSIDE];
  const isWithinAbove = goesRight === isCounterclockwise;
  edges.above[index] = isWithinAbove ? within : without;
  edges.below[index] = isWithinAbove ? without : within;
}
