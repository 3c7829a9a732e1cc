import type { Ring } from './rings.ts';

/** Numbers from 0 to 1 that are the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return (state >> 8) / (0x7fffffff >> 8);
  };
}

const same = (a: number[], b: number[]) => a[0] === b[0] && a[1] === b[1];
const turn = (a: number[], b: number[], c: number[]) =>
  Math.sign((b[0]! - a[0]!) * (c[1]! - a[1]!) - (b[1]! - a[1]!) * (c[0]! - a[0]!));
const isOn = (a: number[], b: number[], p: number[]) =>
  turn(a, b, p) === 0 &&
  [0, 1].every(
    (axis) => Math.min(a[axis]!, b[axis]!) <= p[axis]! && p[axis]! <= Math.max(a[axis]!, b[axis]!),
  );

/** The rule of findRingIssue by another algorithm; for corners on a small grid of whole numbers. */
export function isGoodSlowly(rings: Ring[]): boolean {
  const clean = rings.map((each) => each.filter((p, i) => i === 0 || !same(p, each[i - 1]!)));
  if (clean.some((each) => each.length < 4)) return false;
  const edges = clean.flatMap((each) => each.slice(1).map((p, i) => [each[i]!, p] as const));
  for (const [index, [a, b]] of edges.entries()) {
    for (const [c, d] of edges.slice(index + 1)) {
      const ends = [
        [a, b, c],
        [a, b, d],
        [c, d, a],
        [c, d, b],
      ] as const;
      if (ends.some(([p, q, r]) => isOn(p, q, r) && !same(p, r) && !same(q, r))) return false;
      if ((same(a, c) && same(b, d)) || (same(a, d) && same(b, c))) return false;
      if (turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0) return false;
    }
  }
  return areRegionsGood(clean);
}

/** Every ring winds once, in one direction, around what it encloses; holes are inside the outer ring and disjoint. */
function areRegionsGood(rings: Ring[]): boolean {
  const ways = rings.map(() => 0);
  for (let x = -0.487; x < 8; x += 0.0917) {
    for (let y = -0.483; y < 8; y += 0.0931) {
      const windings = rings.map((each) => winding(each, x, y));
      for (const [index, times] of windings.entries()) {
        if (Math.abs(times) > 1 || times * ways[index]! < 0) return false;
        ways[index] ||= times;
      }
      const holes = windings.slice(1).filter((times) => times !== 0).length;
      if (holes > 1 || (holes === 1 && windings[0] === 0)) return false;
    }
  }
  return true;
}

function winding(corners: Ring, x: number, y: number): number {
  let times = 0;
  for (const [index, b] of corners.entries()) {
    const a = corners[index - 1];
    if (a === undefined || a[1]! <= y === b[1]! <= y) continue;
    const crossing = a[0]! + ((y - a[1]!) / (b[1]! - a[1]!)) * (b[0]! - a[0]!);
    if (crossing > x) times += b[1]! > a[1]! ? 1 : -1;
  }
  return times;
}
