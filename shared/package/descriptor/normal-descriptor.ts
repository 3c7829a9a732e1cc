import type { XStatic } from 'typebox/schema';
import { normalForm } from '../schema/normal-form.ts';
import { compareText } from '../text/compare-text.ts';
import { MODULE_VERSION, type Descriptor, type Translation } from './descriptor.ts';
import { descriptorForm } from './module-schema.ts';

/** The path that an item of `moduleFiles` names, as paths are in the archive. */
export function normalPath(file: string): string {
  return file.normalize('NFC').replaceAll('\\', '/');
}

/** The normal form of a descriptor that has passed every rule. */
export function normalDescriptor(input: XStatic<typeof descriptorForm> | Descriptor): Descriptor {
  const normal = normalForm(descriptorForm, input);
  return {
    ...normal,
    moduleVersion: MODULE_VERSION,
    translations: mergeTranslations([], normal.translations),
    environmentVariables: normal.environmentVariables.toSorted(
      (a, b) => compareText(a.appEnvironmentId, b.appEnvironmentId) || compareText(a.key, b.key),
    ),
    moduleFiles: normal.moduleFiles.map((each) => ({ ...each, file: normalPath(each.file) })),
  };
}

/** The translations of a module after an import: the package's win, languages that it does not mention stay; by language. */
export function mergeTranslations(
  current: readonly Translation[],
  incoming: readonly Translation[],
): readonly Translation[] {
  const byLanguage = new Map([...current, ...incoming].map((each) => [each.languageId, each]));
  return [...byLanguage.values()].toSorted((a, b) => compareText(a.languageId, b.languageId));
}
