import type { FileKind } from '../layout/package-folders.ts';
import { pointerTo } from '../text/json-pointer.ts';
import { normalPath } from './normal-descriptor.ts';
import { problemAt, type LocatedText } from '../text/located-text.ts';
import { type Problem, problem } from '../problem.ts';
import { quoteText } from '../text/quote-value.ts';
import { isMembers, rootItems, rootMember } from '../schema/read-members.ts';

const NAMED_FOLDER = /^(?:ModuleToS|ModulePrivacy|ModuleImage|ModuleLogo)\//;

/** Finds what a wrong path may have meant: the same path in another letter case, or a file of the same name. */
function meantPaths(paths: ReadonlySet<string>): (path: string) => string | undefined {
  let byName: ReadonlyMap<string, string> | undefined;
  return (path) => {
    byName ??= new Map(
      [...paths].filter((each) => NAMED_FOLDER.test(each)).map((each) => [lastSegment(each), each]),
    );
    return byName.get(lastSegment(path));
  };
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).toLowerCase();
}

function pathProblem(
  text: LocatedText,
  pointer: string,
  path: string,
  paths: ReadonlySet<string>,
  meantBy: (path: string) => string | undefined,
): Problem | null {
  if (!paths.has(path)) {
    const meant = meantBy(path);
    const hint = meant === undefined ? folderHint(path) : ` Is ${quoteText(meant)} meant?`;
    const detail = `The package has no file ${quoteText(path)}.${hint}`;
    return problemAt(text, 'descriptor-file-missing', pointer, detail);
  }
  if (NAMED_FOLDER.test(path)) return null;
  const detail = `${quoteText(path)} is not in ModuleToS/, ModulePrivacy/, ModuleImage/ or ModuleLogo/.`;
  return problemAt(text, 'descriptor-file-misplaced', pointer, detail);
}

/** A path outside the folders is not corrected by adding the file. */
function folderHint(path: string): string {
  return NAMED_FOLDER.test(path)
    ? ''
    : ' The path must start with ModuleToS/, ModulePrivacy/, ModuleImage/ or ModuleLogo/.';
}

function backslashWarning(text: LocatedText, pointer: string, path: string): Problem {
  const detail = `The backslash is read as a slash: write ${quoteText(path)}.`;
  return problemAt(text, 'descriptor-file-backslash', pointer, detail);
}

/** The files of the archive that `moduleFiles` names, and what is wrong with naming them. */
export interface NamedFiles {
  /** Null where `moduleFiles` is not a list, so that undeclared files cannot be reported. */
  readonly paths: ReadonlySet<string> | null;
  readonly problems: readonly Problem[];
}

/** Validates the items of `moduleFiles` against the files of the archive. */
export function validateModuleFiles(text: LocatedText, archivePaths: ReadonlySet<string>): NamedFiles {
  const list = rootMember(text, 'moduleFiles') ?? [];
  if (!Array.isArray(list)) return { paths: null, problems: [] };
  const named = new Set<string>();
  const problems: Problem[] = [];
  const meantBy = meantPaths(archivePaths);
  for (const { pointer, item } of rootItems(text, 'moduleFiles', isMembers)) {
    // The schema rejects a blank path.
    if (typeof item['file'] !== 'string' || item['file'].trim() === '') continue;
    const path = normalPath(item['file']);
    if (archivePaths.has(path)) named.add(path);
    const wrongPath = pathProblem(text, pointerTo(pointer, 'file'), path, archivePaths, meantBy);
    if (wrongPath !== null) problems.push(wrongPath);
    if (item['file'].includes('\\')) problems.push(backslashWarning(text, pointerTo(pointer, 'file'), path));
  }
  return { paths: named, problems };
}

/** The problem of a file that `moduleFiles` lacks: an error for images and logos, a warning for terms and privacy. */
export function unnamedFileProblem(entry: string, kind: FileKind): Problem | null {
  const detail = `No item of moduleFiles names ${quoteText(entry)}.`;
  if (kind === 'image' || kind === 'logo') return problem('layout-file-undeclared', detail, { entry });
  if (kind === 'terms' || kind === 'privacy') return problem('layout-file-unreferenced', detail, { entry });
  return null;
}
