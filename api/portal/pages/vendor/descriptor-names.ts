import { useCatalogue } from '../parts/catalogue.ts';

/** The sets of the catalogue that a descriptor refers to. */
const SETS = [
  'types',
  'hostingTypes',
  'categories',
  'federationTypes',
  'deploymentTypes',
  'environments',
  'requirements',
  'crops',
  'paymentOptions',
  'paymentCycles',
  'currencies',
  'dataAreas',
] as const;

type NamedSet = (typeof SETS)[number];

/** Finds the names of what a descriptor refers to. */
interface DescriptorNames {
  /** The names of IDs; what the catalogue does not know is named by its ID. */
  of(set: NamedSet, ids: readonly (string | null)[]): string;
  /** The key of an ID, such as the code of a currency. */
  key(set: NamedSet, id: string): string;
  /** The name of a key; null: none is given. */
  ofKey(set: NamedSet, key: number | null): string | null;
}

/** Returns what finds the names. */
export function useNames(): DescriptorNames {
  // Always the same sets in the same order, as hooks need it.
  const sets = new Map(SETS.map((set) => [set, useCatalogue(set)]));
  const entry = (set: NamedSet, id: string) => sets.get(set)?.get(id);
  /** While the set is being fetched, an ID would only flicker. */
  const unknown = (set: NamedSet, text: string) => (sets.get(set)?.size === 0 ? '…' : text);
  return {
    of: (set, ids) =>
      ids.flatMap((id) => (id === null ? [] : [entry(set, id)?.value ?? unknown(set, id)])).join(', '),
    key: (set, id) => entry(set, id)?.key ?? unknown(set, id),
    ofKey(set, key) {
      if (key === null) return null;
      const entries = [...(sets.get(set)?.values() ?? [])];
      return entries.find((each) => each.key === String(key))?.value ?? unknown(set, String(key));
    },
  };
}
