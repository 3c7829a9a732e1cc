import { compareText } from '../text/compare-text.ts';
import type { PublishedFile } from './published-hashes.ts';

/** What of a package differs from its record, by path. */
export type ContentDifference =
  | { readonly kind: 'changed' | 'missing' | 'added'; readonly path: string }
  /** The same bytes under another path. */
  | { readonly kind: 'renamed'; readonly path: string; readonly from: string };

/** How files differ from those of a record, by path. */
export function compareContent(
  recorded: readonly PublishedFile[],
  found: readonly PublishedFile[],
): readonly ContentDifference[] {
  const expected = new Map(recorded.map(({ path, sha256 }) => [path, sha256]));
  const present = new Set(found.map(({ path }) => path));
  const missing = new Map<string, string[]>();
  for (const { path, sha256 } of recorded.filter((each) => !present.has(each.path)))
    missing.set(sha256, [...(missing.get(sha256) ?? []), path]);
  const differences = found.flatMap(({ path, sha256 }): ContentDifference[] => {
    const hash = expected.get(path);
    if (hash !== undefined) return hash === sha256 ? [] : [{ kind: 'changed', path }];
    const from = missing.get(sha256)?.shift();
    return [from === undefined ? { kind: 'added', path } : { kind: 'renamed', path, from }];
  });
  const gone = [...missing.values()].flat().map((path): ContentDifference => ({ kind: 'missing', path }));
  return [...differences, ...gone].toSorted((a, b) => compareText(a.path, b.path));
}
