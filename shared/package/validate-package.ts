import { compareText } from './text/compare-text.ts';
import { validateLayout } from './layout/layout.ts';
import { PACKAGE_FOLDERS, type FileKind } from './layout/package-folders.ts';
import { unnamedFileProblem } from './descriptor/module-file-rules.ts';
import type { ValidationSettings, PackageContent, PackageReport } from './package-report.ts';
import { FoundProblems, compareProblems, type Problem } from './problem.ts';
import { PackageReader } from './read-package.ts';
import type { FileRules } from './file-rules.ts';
import { placeholderFileProblem } from './placeholders.ts';
import { Pacer } from './archive/pacer.ts';
import type { PackageSource } from './archive/source.ts';
import { readDirectory } from './archive/read-directory.ts';
import { readEntries } from './archive/read-entries.ts';
import { environmentKeyProblems } from './roles/roles-entities.ts';

/** The content of a package without errors; a corrupt or missing descriptor is an error, so there is one. */
async function contentOf(
  { descriptor, roles, alertRules, files }: PackageReader,
  pacer: Pacer,
): Promise<PackageContent | null> {
  const described = descriptor?.descriptor ?? null;
  const subject = descriptor?.subject ?? null;
  if (described === null || subject === null) return null;
  return {
    descriptor: described,
    subject,
    roles,
    alertRules,
    files: await pacer.sort(files, (a, b) => compareText(a.path, b.path)),
  };
}

/** Adds what only the whole package shows, and reports. */
async function reportOf(
  kinds: ReadonlyMap<string, FileKind>,
  reader: PackageReader,
  archiveProblems: readonly Problem[],
): Promise<PackageReport> {
  const found = reader.problems;
  const pacer = new Pacer();
  await pacer.forEach(archiveProblems, (each) => found.add(each));
  const named = reader.descriptor?.namedFiles ?? null;
  const descriptor = reader.descriptor?.descriptor ?? null;
  await pacer.forEach(kinds, ([path, kind]) => {
    const unnamed = named === null || named.has(path) ? null : unnamedFileProblem(path, kind);
    if (unnamed !== null) found.add(unnamed);
    if (kind === 'roles' && reader.roles !== null && descriptor !== null)
      found.addAll(environmentKeyProblems(path, reader.roles, descriptor));
  });
  await pacer.forEach(reader.files, (file) => {
    const placeholder = placeholderFileProblem(file);
    if (placeholder !== null) found.add(placeholder);
  });
  const problems = found.problems.toSorted(compareProblems);
  return {
    problems,
    omittedErrors: found.omittedErrors,
    subject: reader.descriptor?.subject ?? null,
    content: problems.some((each) => each.severity === 'error') ? null : await contentOf(reader, pacer),
  };
}

/**
 * Validates a package by every rule but the registry's, in one pass over its bytes. What the archive's
 * directory shows to be wrong is reported alone, and nothing is read then.
 * Throws only what the source and `fileRules` throw; without these files are validated at once, which takes seconds
 * for a hostile one.
 */
export async function validatePackage(
  source: PackageSource,
  settings: ValidationSettings,
  onProgress?: (bytesDone: number, bytesTotal: number) => void,
  fileRules?: FileRules,
): Promise<PackageReport> {
  const directory = await readDirectory(source, settings.limits);
  if (directory.problems.length > 0) {
    const { omittedErrors } = directory;
    const problems = directory.problems.toSorted(compareProblems);
    return { problems, omittedErrors, subject: null, content: null };
  }
  // An update that removes a folder replaces the warning of its absence, one for each folder at most.
  const found = new FoundProblems(settings.limits.maxReportedProblems + PACKAGE_FOLDERS.length);
  const layout = await validateLayout(directory.entries, settings, found);
  const reader = new PackageReader(layout, settings, found, fileRules);
  const archiveProblems = await readEntries(source, directory, settings.limits, reader, (bytesDone) =>
    onProgress?.(bytesDone, directory.directoryOffset),
  );
  return reportOf(layout.kinds, reader, archiveProblems);
}
