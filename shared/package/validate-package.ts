import { compareText } from './text/compare-text.ts';
import { validateLayout } from './layout/layout.ts';
import type { Layout } from './layout/layout.ts';
import { unnamedFileProblems } from './descriptor/module-file-rules.ts';
import type { ValidationSettings, PackageContent, PackageReport } from './package-report.ts';
import { compareProblems } from './problem.ts';
import type { Problem } from './problem.ts';
import { PackageReader } from './read-package.ts';
import type { FileRules } from './file-rules.ts';
import type { PackageSource } from './archive/source.ts';
import { readDirectory } from './archive/read-directory.ts';
import { readEntries } from './archive/read-entries.ts';

function hasError(problems: readonly Problem[]): boolean {
  return problems.some((each) => each.severity === 'error');
}

/** The content of a package without errors; a corrupt or missing descriptor is an error, so there is one. */
function contentOf({ descriptor, roles, alertRules, files }: PackageReader): PackageContent | null {
  const described = descriptor?.descriptor ?? null;
  const subject = descriptor?.subject ?? null;
  if (described === null || subject === null) return null;
  return {
    descriptor: described,
    subject,
    roles,
    alertRules,
    files: files.toSorted((a, b) => compareText(a.path, b.path)),
  };
}

function reportOf(layout: Layout, reader: PackageReader, archiveProblems: readonly Problem[]): PackageReport {
  const named = reader.descriptor?.namedFiles ?? null;
  const problems = [
    ...archiveProblems,
    ...layout.problems,
    ...reader.problems,
    ...(named === null ? [] : unnamedFileProblems(layout.kinds, named)),
  ].toSorted(compareProblems);
  return {
    problems,
    subject: reader.descriptor?.subject ?? null,
    content: hasError(problems) ? null : contentOf(reader),
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
    return { problems: directory.problems.toSorted(compareProblems), subject: null, content: null };
  }
  const layout = validateLayout(directory.entries, settings);
  const reader = new PackageReader(layout, settings, fileRules);
  const archiveProblems = await readEntries(source, directory, settings.limits, reader, (bytesDone) =>
    onProgress?.(bytesDone, directory.directoryOffset),
  );
  return reportOf(layout, reader, archiveProblems);
}
