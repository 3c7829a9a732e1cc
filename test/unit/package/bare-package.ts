import {
  type PackageEntries,
  checkEntries,
  jsonText,
  packageDescriptor,
  formatProblems,
} from '../../support/package-builder.ts';

/** A descriptor that names no file. */
export const BARE_DESCRIPTOR = jsonText(packageDescriptor({ moduleFiles: [] }));

/** The problems of a package of the descriptor and these entries. */
export async function problemsOf(entries: PackageEntries): Promise<string[]> {
  return formatProblems((await checkEntries({ 'moduleSchema.json': BARE_DESCRIPTOR, ...entries })).problems);
}
