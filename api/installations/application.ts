import type { Static } from 'typebox';
import {
  findFileHashes,
  findInstalledApplications,
  type InstalledApplication,
} from '../../shared/db/modules/applications.ts';
import { pathInBuild } from '../../shared/package/descriptor/entry-file-rule.ts';
import { APPLICATION_FOLDER } from '../applications/application-headers.ts';
import { applicationOrigin } from '../applications/application-origins.ts';
import type { ApiContext } from '../context.ts';
import { guid, integer, namedObject, orNull, sha256, text } from '../http/schema.ts';

/** The data with which a host loads an application. */
export const application = namedObject(
  'InstalledApplication',
  'The web application of an installed module, for the page that loads it.',
  {
    baseUrl: text(
      'The address of the folder `PackageArtifact/build` of the revision, with a slash at its end.',
    ),
    entryUrl: orNull(
      text(
        'The address of the entry file; null if `entryFileUrl` of the descriptor names no file of the build.',
      ),
    ),
    entrySha256: orNull(
      sha256(
        'The SHA-256 of the entry file, in hexadecimal digits, for `integrity` of the element that loads it; null without an entry file.',
      ),
    ),
    pageUrl: orNull(
      text(
        'The page that runs the application by itself: the entry file if it is a page, else `index.html` of the build; null if there is neither.',
      ),
    ),
    scope: orNull(
      text('The scope of the descriptor, which names the federated container; null if it has none.'),
    ),
    component: orNull(
      text('The component of the descriptor, which the application exposes; null if it has none.'),
    ),
    federationTypeId: orNull(
      guid('How the application is loaded, an ID of the catalogue; null if the descriptor has none.'),
    ),
    revision: integer('The revision that the organization sees.', 1),
  },
);

type Application = Static<typeof application>;

const PAGE = /\.html?$/;
const STANDARD_PAGE = `${APPLICATION_FOLDER}index.html`;

/** The applications of modules as an organization sees them, by module; empty where this service serves none. */
export async function applicationsOf(
  { database, applicationOrigins }: Pick<ApiContext, 'database' | 'applicationOrigins'>,
  organizationId: string,
  moduleIds: readonly string[],
): Promise<ReadonlyMap<string, Application>> {
  if (applicationOrigins === null || moduleIds.length === 0) return new Map();
  const found = await findInstalledApplications(database, organizationId, moduleIds);
  const keys = found.flatMap((each) =>
    [entryPath(each), STANDARD_PAGE].map((path) => ({ ...each, path: path ?? '' })),
  );
  const hashes = await findFileHashes(database, keys);
  return new Map(
    found.map((each, index) => {
      const [entry = null, page = null] = hashes.slice(2 * index, 2 * index + 2);
      return [each.moduleId, applicationOf(applicationOrigins, each, { entry, page })];
    }),
  );
}

/** The path of the entry file in the package; null where there is none, or it is at another address. */
function entryPath({ entryFileUrl }: InstalledApplication): string | null {
  const address = entryFileUrl?.trim() ?? '';
  const path = address === '' ? null : pathInBuild(address);
  return path?.endsWith('/') === true ? `${path}index.html` : path;
}

function applicationOf(
  origins: string,
  found: InstalledApplication,
  sha256: { readonly entry: string | null; readonly page: string | null },
): Application {
  const { moduleId, revision, scope, component, federationTypeId } = found;
  const baseUrl = `${applicationOrigin(origins, moduleId)}/${revision}/`;
  const addressOf = (path: string) =>
    baseUrl + path.slice(APPLICATION_FOLDER.length).split('/').map(encodeURIComponent).join('/');
  const path = entryPath(found);
  const entryUrl = path !== null && sha256.entry !== null ? addressOf(path) : null;
  const standardPage = sha256.page === null ? null : addressOf(STANDARD_PAGE);
  return {
    baseUrl,
    entryUrl,
    entrySha256: sha256.entry,
    pageUrl: entryUrl !== null && PAGE.test(entryUrl) ? entryUrl : standardPage,
    scope,
    component,
    federationTypeId,
    revision,
  };
}
