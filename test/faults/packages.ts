import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { loadCatalogue } from '../../shared/catalogue/catalogue.ts';
import { uploadBody } from '../bench/import-service.ts';
import { samplePackage } from '../support/sample-package.ts';
import { readPackage } from '../support/package-contents.ts';
import type { PackageContents } from '../support/package-contents.ts';

const catalogue = loadCatalogue();
/** Every so many packages one is larger than a part of a multipart upload. */
const LARGE_EVERY = 50;
const LARGE_BYTES = 6 * 1024 * 1024;
/** Clients that wait, that ask to be told later, and, one in ten, that cannot try again. */
const ASYNC_EVERY = 3;
const KEYLESS_EVERY = 10;

/** One upload that a client makes, and what has to be there afterwards. */
export interface Upload {
  readonly form: Buffer;
  /** Of the package, lower-case hex. */
  readonly sha256: string;
  /** Null: the client sends it once, since nothing would tell two uploads from one. */
  readonly key: string | null;
  readonly isAsync: boolean;
  /** What its revision has to serve. */
  readonly contents: PackageContents;
}

/** The package of this number, unlike any other; the others of its files it shares with all. */
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
