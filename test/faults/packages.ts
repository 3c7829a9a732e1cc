import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { loadCatalogue } from '../../shared/catalogue/catalogue.ts';
import { uploadBody } from '../bench/import-service.ts';
import { samplePackage } from '../support/sample-package.ts';

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
  /** SHA-256 of the contents that no other package has. */
  readonly ownContents: readonly string[];
  /** What its revision shows: all but the descriptor. */
  readonly files: number;
}

/** The package of this number, unlike any other; the others of its files it shares with all. */
export function makeUpload(index: number, hasLarge: boolean): Upload {
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
    sha256: sha256Of(zip),
    key: index % KEYLESS_EVERY === KEYLESS_EVERY - 1 ? null : randomUUID(),
    isAsync: index % ASYNC_EVERY === 0,
    ownContents: [sha256Of(page), sha256Of(script)],
    files: 8,
  };
}

/** Lower-case hex. */
export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
