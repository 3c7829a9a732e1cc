import type { PackageEntries } from '../../support/package-builder.ts';
import { checkEntries, jsonText, packageDescriptor, tellProblems } from '../../support/package-builder.ts';

/** A descriptor that names no file. */
export const BARE_DESCRIPTOR = jsonText(packageDescriptor({ moduleFiles: [] }));

/** What is wrong with a package of the descriptor and these entries. */
export async function told(entries: PackageEntries): Promise<string[]> {
  return tellProblems((await checkEntries({ 'moduleSchema.json': BARE_DESCRIPTOR, ...entries })).problems);
}
