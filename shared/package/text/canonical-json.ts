import { compareText } from './compare-text.ts';

function sortMembers(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => compareText(a, b)));
}

/** A JSON value as text that does not depend on the order of members: equal values have equal texts. For fingerprints. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, sortMembers);
}
