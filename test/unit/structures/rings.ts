/** A closed line of positions. */
export type Ring = number[][];
/** The ring of these corners, closed. */
export const ring = (...corners: Ring): Ring => [...corners, corners[0]!];
/** A square by its lower left corner. */
export const box = (x: number, y: number, size: number): Ring =>
  ring([x, y], [x + size, y], [x + size, y + size], [x, y + size]);

/** A ring of this many positions around a point. */
export function circle(positions: number, x: number, y: number, radius: number): Ring {
  const corners = Array.from({ length: positions - 1 }, (_, index) => {
    const angle = (2 * Math.PI * index) / (positions - 1);
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  });
  return ring(...corners);
}
