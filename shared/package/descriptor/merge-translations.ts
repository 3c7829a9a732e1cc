import { compareText } from '../text/compare-text.ts';
import type { Translation } from './descriptor.ts';

/** The translations of a module after an import: the package's win, languages that it does not mention stay; by language. */
export function mergeTranslations(
  current: readonly Translation[],
  incoming: readonly Translation[],
): readonly Translation[] {
  const byLanguage = new Map([...current, ...incoming].map((each) => [each.languageId, each]));
  return [...byLanguage.values()].toSorted((a, b) => compareText(a.languageId, b.languageId));
}
