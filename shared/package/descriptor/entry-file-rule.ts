import type { Problem } from '../problem.ts';
import { rootMember } from '../schema/read-members.ts';
import { problemAt, type LocatedText } from '../text/located-text.ts';
import { quoteText } from '../text/quote-value.ts';

const BUILD = 'PackageArtifact/build';
const BASE = 'http://build.invalid';

/** The path in the package of a relative address; null for an absolute one, and for what is no address. */
export function pathInBuild(address: string): string | null {
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(address) || !URL.canParse(address, BASE)) return null;
  const { origin, pathname } = new URL(address, BASE);
  if (origin !== BASE) return null;
  try {
    return BUILD + decodeURIComponent(pathname).normalize('NFC');
  } catch {
    return BUILD + pathname;
  }
}

/** A relative `entryFileUrl` names a file of the build; an absolute one is not checked. */
export function entryFileProblems(text: LocatedText, archivePaths: ReadonlySet<string>): Problem[] {
  const value = rootMember(text, 'entryFileUrl');
  if (typeof value !== 'string' || value.trim() === '') return [];
  const path = pathInBuild(value.trim());
  if (path === null || archivePaths.has(path)) return [];
  if (path.endsWith('/') && archivePaths.has(`${path}index.html`)) return [];
  const detail = `The package has no file ${quoteText(path)}, which entryFileUrl names.`;
  return [problemAt(text, 'descriptor-entry-file-missing', '/entryFileUrl', detail)];
}
