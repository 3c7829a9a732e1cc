import type { ArchiveTree } from '../archive/archive-tree.ts';
import type { PackageFolder } from './package-folders.ts';
import type { PackageCheck } from '../package-check.ts';
import { type Problem, problem } from '../problem.ts';
import { quoteText } from '../text/quote-value.ts';

/** The folders that contain only files: all but `PackageArtifact`. */
export type FlatFolder = Exclude<PackageFolder, 'PackageArtifact'>;

interface FlatFolderRule {
  /** The name of a file, without the folder. */
  readonly fileName: RegExp;
  /** What the names are, in words. */
  readonly expected: string;
  readonly exactlyOne: boolean;
}

const DOCUMENT_RULE: FlatFolderRule = {
  fileName: /^.+\.[^.]+$/,
  expected: 'a name and an extension, such as terms.pdf',
  exactlyOne: false,
};
const IMAGE_RULE: FlatFolderRule = { fileName: /^/, expected: 'any name', exactlyOne: false };

/** What the files of each of these folders are called, and how many there may be. */
export const FLAT_FOLDER_RULES: Readonly<Record<FlatFolder, FlatFolderRule>> = {
  ModuleToS: DOCUMENT_RULE,
  ModulePrivacy: DOCUMENT_RULE,
  ModuleImage: IMAGE_RULE,
  ModuleLogo: IMAGE_RULE,
  AlertRuleDefinitionFile: { fileName: /^.+\.yaml$/, expected: 'the extension .yaml', exactlyOne: true },
  ModuleSpecificRolesEntitiesDefinition: {
    fileName: /^.+\.json$/,
    expected: 'the extension .json',
    exactlyOne: true,
  },
};

/** The folders that contain only files. */
export const FLAT_FOLDERS: readonly FlatFolder[] = [
  'ModuleToS',
  'ModulePrivacy',
  'ModuleImage',
  'ModuleLogo',
  'AlertRuleDefinitionFile',
  'ModuleSpecificRolesEntitiesDefinition',
];

/** Validates a folder that contains only files; it may be absent. Returns the files that may be read. */
export async function validateFlatFolder(
  folder: FlatFolder,
  tree: ArchiveTree,
  { problems, pacer }: PackageCheck,
): Promise<readonly string[]> {
  const inside = tree.rootFolders.get(folder);
  if (inside === undefined) return [];
  const { fileName, expected, exactlyOne } = FLAT_FOLDER_RULES[folder];
  const files: string[] = [];
  let problemCount = 0;
  const add = (found: Problem): void => {
    problemCount += 1;
    problems.add(found);
  };
  await pacer.forEach(inside, ({ path: entry, isFolder }) => {
    const name = entry.slice(folder.length + 1);
    if (name === '' || (isFolder && tree.holdsAnything(entry))) return;
    if (name.includes('/')) {
      const detail = `${quoteText(entry)} is in a sub-folder; ${folder}/ must not have any.`;
      add(problem('layout-folder-nested', detail, { entry }));
    } else if (fileName.test(name)) {
      files.push(entry);
    } else {
      add(problem('layout-file-type', `${quoteText(entry)} must have ${expected}.`, { entry }));
    }
  });
  if (!exactlyOne || files.length === 1) return files;
  // The problem of a file with a wrong type or location already explains why there is no valid one.
  if (files.length > 1 || problemCount === 0) {
    const detail = `${folder}/ must contain exactly one file, not ${files.length}.`;
    problems.add(problem('layout-file-count', detail, { entry: `${folder}/` }));
  }
  return [];
}
