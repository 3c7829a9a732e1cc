import { createHash } from 'node:crypto';
import { importSample } from './import-sample.ts';
import { sampleDescriptor } from './sample-package.ts';
import { startTestApp, type Answer, type TestApp, type TestOrganization } from './test-app.ts';

/** The content of the text file `alphabet.txt` of the served module. */
export const ALPHABET = 'abcdefghijklmnopqrstuvwxyz';

/** The ETag of that file. */
export const ETAG = `"${createHash('sha256').update(ALPHABET).digest('hex')}"`;

/** The content of the text file `packed.txt`, which is compressed in the package. */
export const PACKED = 'as it is in the archive\n'.repeat(400);

/** The folder of the built files. */
export const BUILD = 'PackageArtifact/build';

/** Names that an address must escape, or that a reader could take for more than a name. */
export const ODD_NAMES = [
  'with space.txt',
  'Übersicht äöü.txt',
  '日本語.txt',
  '🌾.txt',
  '100%.txt',
  '%2e%2e.txt',
  '%00.txt',
  "it's (v2)!*.txt",
  'a+b&c=d;e,f@g.txt',
  'hash#tag.txt',
  '.hidden',
  'no-extension',
  '...dots',
] as const;

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>';

interface Call {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A module with files of many names on a service of its own, read by a member of its vendor. */
export interface ServedModule {
  readonly app: TestApp;
  readonly vendor: TestOrganization;
  readonly moduleId: string;
  /** Reads a file by its path as it is escaped in the address. */
  address(path: string, call?: Call): Promise<Answer>;
  /** Reads a file by its path without escapes. */
  file(path: string, call?: Call & { readonly query?: string }): Promise<Answer>;
  /** Reads the text file `alphabet.txt`. */
  alphabet(headers?: Call['headers'], method?: string): Promise<Answer>;
}

/** Starts the service and imports the module; the caller stops its `app`. */
export async function startServedModule(): Promise<ServedModule> {
  const app = await startTestApp();
  const vendor = await app.organization();
  const { moduleFiles } = sampleDescriptor(app.api.catalogue);
  const moduleId = await importSample(app, vendor, {
    descriptor: { moduleFiles: [...moduleFiles, { file: 'ModuleImage/chart.svg' }] },
    stored: [`${BUILD}/alphabet.txt`],
    files: {
      [`${BUILD}/alphabet.txt`]: ALPHABET,
      [`${BUILD}/packed.txt`]: PACKED,
      [`${BUILD}/empty.txt`]: '',
      'ModuleImage/chart.svg': SVG,
      ...Object.fromEntries(ODD_NAMES.map((name) => [`${BUILD}/${name}`, `content of ${name}`])),
    },
  });
  const served: ServedModule = {
    app,
    vendor,
    moduleId,
    address: (path, { method = 'GET', headers = {} } = {}) =>
      app.fetch(`/api/v8.0/${vendor.id}/modules/${moduleId}/files/${path}`, {
        method,
        headers: { Authorization: vendor.member, ...headers },
      }),
    file: (path, { query = '', ...call } = {}) =>
      served.address(`${path.split('/').map(encodeURIComponent).join('/')}${query}`, call),
    alphabet: (headers, method) => served.file(`${BUILD}/alphabet.txt`, { headers, method }),
  };
  return served;
}
