import type { AlertRules } from './alert-rules/alert-rules.ts';
import { validateAlertRules } from './alert-rules/validate-alert-rules.ts';
import type { ClosedEntry, EntryProof, OpenedEntry } from './archive/archive.ts';
import { openEntry } from './archive/open-entry.ts';
import { validateDescriptor, type DescriptorContent } from './descriptor/validate-descriptor.ts';
import { activeContentProblems } from './documents/active-content.ts';
import { namedTypeProblems, signedType } from './documents/named-type.ts';
import { validateImage } from './images/validate-image.ts';
import { mediaTypeOf } from './layout/media-types.ts';
import { privateContentOf, privateFileProblem } from './layout/private-files.ts';
import type { FileKind } from './layout/package-folders.ts';
import type { PackageCatalogue } from './package-report.ts';
import type { Problem } from './problem.ts';
import { type RolesEntities, validateRoles } from './roles/roles-entities.ts';

/** A file that is validated by its content, and what its rules need to know of the package. */
export type FileToValidate =
  | {
      readonly kind: 'descriptor';
      readonly catalogue: PackageCatalogue;
      readonly paths: ReadonlySet<string>;
    }
  /** How much SVG the package had before it. */
  | { readonly kind: 'image' | 'logo'; readonly svgBytes: number }
  | { readonly kind: Exclude<FileKind, 'descriptor' | 'image' | 'logo'> };

/** What the rules say of a file, and what the package gets from it. */
export interface FileFindings {
  readonly problems: readonly Problem[];
  /** Null for a file that is not served. */
  readonly mediaType: string | null;
  readonly svgBytes?: number;
  readonly descriptor?: DescriptorContent;
  readonly roles?: RolesEntities | null;
  readonly alertRules?: AlertRules | null;
}

/** What reading a file has found, or why it cannot be opened. */
export type FileReading =
  { readonly findings: FileFindings; readonly proof: EntryProof } | { readonly problem: Problem };

/** Opens and validates a file; where it may take time, such as in a thread, it returns a promise. */
export type FileRules = (closed: ClosedEntry, file: FileToValidate) => FileReading | Promise<FileReading>;

/** Errors and warnings of one file, each: the rest is neither kept nor counted. */
const MAX_PROBLEMS = 1_000;

/** Opens and validates a file at once. */
export function validateFile(closed: ClosedEntry, file: FileToValidate): FileReading {
  return validateOpened(openEntry(closed), closed.entry.path, file);
}

/** Validates a file that was opened. */
export function validateOpened(
  opened: OpenedEntry | Problem,
  path: string,
  file: FileToValidate,
): FileReading {
  if ('code' in opened) return { problem: opened };
  const findings = findingsOf(opened.content, path, file);
  return { findings: { ...findings, problems: bounded(findings.problems) }, proof: opened.proof };
}

function findingsOf(content: Buffer, path: string, file: FileToValidate): FileFindings {
  switch (file.kind) {
    case 'descriptor': {
      // Each problem would come back from a thread twice, and the second list has no bound.
      const { problems, ...descriptor } = validateDescriptor(content, file.catalogue, file.paths);
      return { problems, mediaType: null, descriptor };
    }
    case 'roles': {
      const { value: roles, problems } = validateRoles(path, content);
      return { problems, mediaType: mediaTypeOf(path), roles };
    }
    case 'alertRules': {
      const { value: alertRules, problems } = validateAlertRules(path, content);
      return { problems, mediaType: mediaTypeOf(path), alertRules };
    }
    case 'image':
    case 'logo':
      return validateImage(content, path, file.svgBytes);
    case 'artifact': {
      const found = privateContentOf(content, path);
      return { problems: found === null ? [] : [privateFileProblem(found)], mediaType: mediaTypeOf(path) };
    }
    default:
      return { problems: documentProblems(content, path), mediaType: mediaTypeOf(path) };
  }
}

/** Warnings about a file with terms or about privacy, which may be of any type. */
function documentProblems(content: Buffer, entry: string): Problem[] {
  const type = signedType(content);
  return [
    ...namedTypeProblems(entry, type),
    ...activeContentProblems(entry, content, type ?? mediaTypeOf(entry)),
  ];
}

/** The first problems only; an error is never left out for a warning. */
function bounded(problems: readonly Problem[]): readonly Problem[] {
  if (problems.length <= MAX_PROBLEMS) return problems;
  return (['error', 'warning'] as const).flatMap((severity) =>
    problems.filter((each) => each.severity === severity).slice(0, MAX_PROBLEMS),
  );
}
