import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { loadCatalogue } from '../../../shared/catalogue/catalogue.ts';
import { uploadBody } from '../bench/import/service.ts';
import { samplePackage } from '../../support/sample-package.ts';
import { readPackage, type PackageContents } from '../../support/package-contents.ts';

const catalogue = loadCatalogue();
/** One in this many packages is larger than a part of a multipart upload. */
const LARGE_EVERY = 50;
const LARGE_BYTES = 6 * 1024 * 1024;
/** Clients that wait, that poll for the result, and, one in ten, that cannot retry. */
const ASYNC_EVERY = 3;
const KEYLESS_EVERY = 10;

/** One upload of a client, and what must exist afterwards. */
export interface Upload {
  readonly form: Buffer;
  /** Of the package, lower-case hex. */
  readonly sha256: string;
  /** Null: the client sends it once, since nothing identifies a second upload as a retry. */
  readonly key: string | null;
  readonly isAsync: boolean;
  /** The files that its revision must serve. */
  readonly contents: PackageContents;
}

/** The package of this number: one file is unique, the others are the same in all packages. */
export async function makeUpload(index: number, hasLarge: boolean): Promise<Upload> {
  const page = Buffer.from(`<!doctype html><title>${randomUUID()}</title>`);
  const isLarge = hasLarge && index % LARGE_EVERY === LARGE_EVERY - 1;
  const script = isLarge ? randomBytes(LARGE_BYTES) : Buffer.from(randomBytes(3_000).toString('base64'));
  const zip = samplePackage(catalogue, {
    files: {
      'PackageArtifact/build/index.html': page,
      'PackageArtifact/build/assets/own.js': isLarge ? null : script,
      'PackageArtifact/build/assets/own.bin': isLarge ? script : null,
    },
  });
  return {
    form: uploadBody(zip),
    sha256: createHash('sha256').update(zip).digest('hex'),
    key: index % KEYLESS_EVERY === KEYLESS_EVERY - 1 ? null : randomUUID(),
    isAsync: index % ASYNC_EVERY === 0,
    contents: (await readPackage(zip)).contents,
  };
}
