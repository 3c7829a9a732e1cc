/** Code-unit order, which is the same on every machine, as locale order is not. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
