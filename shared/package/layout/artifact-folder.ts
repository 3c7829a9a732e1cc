import type { ArchiveTree } from '../archive/archive-tree.ts';
import type { PackageCheck } from '../package-check.ts';
import { type Problem, problem } from '../problem.ts';
import { quoteText } from '../text/quote-value.ts';

const FOLDER = 'PackageArtifact/';
const BUILD = 'PackageArtifact/build/';

function wrong(entry: string, detail: string): Problem {
  return problem('layout-artifact-folder', detail, { entry });
}

/** Validates `PackageArtifact/`: exactly one folder, named `build`, with at least one file at any depth. Its files are returned. */
export async function validateArtifactFolder(
  tree: ArchiveTree,
  { problems, pacer }: PackageCheck,
): Promise<readonly string[]> {
  const inside = tree.rootFolders.get('PackageArtifact');
  if (inside === undefined) return [];
  const files: string[] = [];
  const otherFolders = new Set<string>();
  await pacer.forEach(inside, ({ path, isFolder }) => {
    if (path.startsWith(BUILD)) {
      if (!isFolder) files.push(path);
      return;
    }
    const slash = path.indexOf('/', FOLDER.length);
    if (slash !== -1) otherFolders.add(path.slice(0, slash + 1));
    else if (path !== FOLDER)
      problems.add(wrong(path, `${quoteText(path)} must be in ${BUILD}, not next to it.`));
  });
  await pacer.forEach(otherFolders, (entry) =>
    problems.add(
      wrong(entry, `${quoteText(entry)} is not allowed: the only folder in ${FOLDER} must be named build.`),
    ),
  );
  // Another folder is most likely the build under a wrong name, and has been reported.
  if (files.length === 0 && otherFolders.size === 0) {
    problems.add(wrong(BUILD, `${BUILD} must exist and contain at least one file.`));
  }
  return files;
}
