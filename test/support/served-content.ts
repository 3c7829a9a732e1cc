import type { components } from '../../shared/client/openapi-types.ts';
import { forEachAtOnce } from '../../shared/process/for-each-at-once.ts';
import { contentOf, readPackage, type FileContent, type PackageContents } from './package-contents.ts';
import type { ServiceReader } from './service-reader.ts';

type Module = components['schemas']['Module'];
type Revision = components['schemas']['Revision'];

const REVISIONS_AT_ONCE = 16;
/** Fails with the first error. */
const all: typeof forEachAtOnce = async (...call) => {
  const errors = await forEachAtOnce(...call);
  if (errors.length > 0) throw errors[0];
  return errors;
};

const ENCODINGS = ['gzip', 'identity'] as const;

/** A revision that the service lists, and the import that made it. */
export interface ListedRevision {
  readonly moduleId: string;
  readonly revision: number;
  readonly importId: string;
}

/** The compared answers, and a description of each difference. */
export interface ContentReport {
  readonly files: number;
  readonly exports: number;
  readonly bytes: number;
  readonly durationMs: number;
  readonly differences: readonly string[];
}

/** Every revision of every module of the organization. */
export async function listAllRevisions(reader: ServiceReader): Promise<readonly ListedRevision[]> {
  const modules = await reader.list<{ id: string }>('modules');
  const revisions: ListedRevision[] = [];
  await all(modules, REVISIONS_AT_ONCE, async ({ id }) => {
    for (const { revision, importId } of await reader.list<Revision>(`modules/${id}/revisions`))
      revisions.push({ moduleId: id, revision, importId });
  });
  return revisions;
}

/**
 * Downloads every file of these revisions, in each encoding, and every export, and compares them with what the
 * package of the revision's import contained.
 */
export async function compareServedContent(
  reader: ServiceReader,
  revisions: readonly ListedRevision[],
  uploadOf: (importId: string) => PackageContents | undefined,
): Promise<ContentReport> {
  return new ContentComparison(reader, uploadOf).compareAll(revisions);
}

class ContentComparison {
  readonly #reader: ServiceReader;
  readonly #uploadOf: (importId: string) => PackageContents | undefined;
  readonly #differences: string[] = [];
  readonly #compared = { files: 0, exports: 0, bytes: 0 };

  constructor(reader: ServiceReader, uploadOf: (importId: string) => PackageContents | undefined) {
    this.#reader = reader;
    this.#uploadOf = uploadOf;
  }

  async compareAll(revisions: readonly ListedRevision[]): Promise<ContentReport> {
    const startedMs = Date.now();
    // One export at a time of each process: it limits them.
    const exportsAtOnce = this.#reader.processes;
    await Promise.all([
      all(revisions, REVISIONS_AT_ONCE, (each) => this.#compareFiles(each)),
      all(revisions, exportsAtOnce, (each) => this.#compareExport(each)),
    ]);
    const [first] = revisions;
    if (first !== undefined) await this.#importBack(first.moduleId);
    return {
      ...this.#compared,
      durationMs: Date.now() - startedMs,
      differences: this.#differences,
    };
  }

  async #compareFiles({ moduleId, revision, importId }: ListedRevision): Promise<void> {
    const name = `revision ${revision} of module ${moduleId}`;
    const upload = this.#uploadOf(importId);
    if (upload === undefined) {
      this.#differences.push(`${name} belongs to a package that was never uploaded`);
      return;
    }
    const answer = await this.#reader.get(`modules/${moduleId}?revision=${revision}`);
    if (answer.status !== 200) {
      this.#differences.push(`${name} answers ${answer.status}`);
      return;
    }
    const module = JSON.parse(answer.body.toString()) as Module;
    if (module.importId !== importId) this.#differences.push(`${name} names two imports`);
    this.#compareContents(`the list of ${name}`, contentsOf(module), upload);
    for (const [path, content] of upload)
      await this.#compareFile(name, { moduleId, revision, path }, content);
  }

  async #compareFile(
    name: string,
    { moduleId, revision, path }: { moduleId: string; revision: number; path: string },
    expected: FileContent,
  ): Promise<void> {
    const address = path.split('/').map(encodeURIComponent).join('/');
    for (const encoding of ENCODINGS) {
      const url = `modules/${moduleId}/files/${address}?revision=${revision}`;
      const { status, body } = await this.#reader.get(url, encoding);
      this.#compared.files += 1;
      this.#compared.bytes += body.length;
      if (status !== 200) this.#differences.push(`${path} of ${name}, ${encoding}, answers ${status}`);
      else if (!isEqual(contentOf(body), expected))
        this.#differences.push(`${path} of ${name}, ${encoding}, has other bytes`);
    }
  }

  async #compareExport({ moduleId, revision, importId }: ListedRevision): Promise<void> {
    const name = `the export of revision ${revision} of module ${moduleId}`;
    const upload = this.#uploadOf(importId);
    if (upload === undefined) return;
    const { status, body } = await this.#reader.get(exportPath(moduleId, revision));
    this.#compared.exports += 1;
    this.#compared.bytes += body.length;
    if (status !== 200) {
      this.#differences.push(`${name} answers ${status}`);
      return;
    }
    try {
      const { descriptor, contents } = await readPackage(body);
      const { moduleId: exportedId } = JSON.parse(descriptor.toString()) as { moduleId: unknown };
      if (exportedId !== moduleId) this.#differences.push(`${name} is of module ${String(exportedId)}`);
      this.#compareContents(name, contents, upload);
    } catch (error) {
      this.#differences.push(`${name} cannot be read: ${String(error)}`);
    }
  }

  /** The export of a module is what the module has: importing it changes nothing. */
  async #importBack(moduleId: string): Promise<void> {
    const exported = await this.#reader.get(exportPath(moduleId));
    const { status, body } = await this.#reader.validate(exported.body);
    const outcome = status === 200 ? (JSON.parse(body.toString()) as { outcome: unknown }).outcome : status;
    if (outcome !== 'unchanged')
      this.#differences.push(`the export of module ${moduleId}, imported again, ended as ${String(outcome)}`);
  }

  #compareContents(name: string, found: PackageContents, expected: PackageContents): void {
    for (const path of new Set([...found.keys(), ...expected.keys()])) {
      const [here, there] = [found.get(path), expected.get(path)];
      if (here === undefined) this.#differences.push(`${name} lacks ${path}`);
      else if (there === undefined) this.#differences.push(`${name} has ${path}, which was not uploaded`);
      else if (!isEqual(here, there)) this.#differences.push(`${name} has other content for ${path}`);
    }
  }
}

function contentsOf({ files }: Module): PackageContents {
  return new Map(files.map(({ path, sizeBytes, sha256 }) => [path, { sizeBytes, sha256 }]));
}

function isEqual(one: FileContent, other: FileContent): boolean {
  return one.sizeBytes === other.sizeBytes && one.sha256 === other.sha256;
}

function exportPath(moduleId: string, revision?: number): string {
  return `ExportModuleAsync/${moduleId}${revision === undefined ? '' : `?revision=${revision}`}`;
}
