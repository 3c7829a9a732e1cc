import type { XStatic } from 'typebox/schema';
import { normalName } from '../archive/entry-name.ts';
import { normalForm } from '../schema/normal-form.ts';
import { compareText } from '../text/compare-text.ts';
import { MODULE_VERSION, type Descriptor, type Translation } from './descriptor.ts';
import { descriptorForm } from './module-schema.ts';

/** The path that an item of `moduleFiles` names, as paths are in the archive. */
export function normalPath(file: string): string {
  return normalName(file.replaceAll('\\', '/'));
}

/** The normal form of a descriptor that has passed every rule. */
export function normalDescriptor(input: XStatic<typeof descriptorForm> | Descriptor): Descriptor {
  const normal = normalForm(descriptorForm, input);
  return {
    ...normal,
    moduleVersion: MODULE_VERSION,
    // A module that names itself needs nothing for that: it could never be installed before itself.
    dependencies: normal.dependencies.filter((id) => id !== normal.moduleId),
    translations: mergeTranslations([], normal.translations),
    environmentVariables: normal.environmentVariables.toSorted(
      (a, b) => compareText(a.appEnvironmentId, b.appEnvironmentId) || compareText(a.key, b.key),
    ),
    moduleFiles: normal.moduleFiles.map((each) => ({ ...each, file: normalPath(each.file) })),
  };
}

/**
 * The translations of a module after an import: the package's win, languages that it does not mention stay; by language.
 * What stays has no release notes: they were about an earlier package.
 */
export function mergeTranslations(
  current: readonly Translation[],
  incoming: readonly Translation[],
): readonly Translation[] {
  const kept = current.map((each) => ({ ...each, releaseNotes: null }));
  const byLanguage = new Map([...kept, ...incoming].map((each) => [each.languageId, each]));
  return [...byLanguage.values()].toSorted((a, b) => compareText(a.languageId, b.languageId));
}

/**
 * Up to this size the file is formatted for people. This is not a setting: the same revision has the same bytes
 * everywhere. A longer one is written without blanks and nulls, so that it stays within a package's limit.
 */
const MAX_LAID_OUT_BYTES = 1024 * 1024;

/** For whom a module is exported. */
interface ExportForm {
  /** The owner. */
  readonly organizationId: string;
  /** For another organization of the deployment: `moduleId` and `scope` are null. */
  readonly asNew: boolean;
}

/** `moduleSchema.json` of an export, as text; the same descriptor produces the same text on every machine. */
export function exportedDescriptor(descriptor: Descriptor, { organizationId, asNew }: ExportForm): string {
  // Put in order again: the database keeps no order of members.
  const { schema, moduleId, ...rest } = normalDescriptor(descriptor);
  const exported = {
    schema,
    moduleId: asNew ? null : moduleId,
    organizationId,
    ...rest,
    scope: asNew ? null : rest.scope,
  };
  const text = `${JSON.stringify(exported, null, 2)}\n`;
  return Buffer.byteLength(text) <= MAX_LAID_OUT_BYTES ? text : JSON.stringify(exported, withoutNull);
}

/** Absent and null are one. */
function withoutNull(_name: string, value: unknown): unknown {
  return value ?? undefined;
}
