import { randomBytes, randomUUID } from 'node:crypto';
import { loadCatalogue } from '../../shared/catalogue/catalogue.ts';
import { samplePackage } from '../support/sample-package.ts';

/** The files of the sample that stay as they are. */
const SAMPLE_FILES = 8;
const LARGE_PACKAGE_FILES = 300;

/** Text that deflates to three quarters, unlike any other. */
function text(bytes: number): string {
  return randomBytes(bytes * 0.75).toString('base64');
}

function uniquePage(): string {
  return `<!doctype html><title>${randomUUID()}</title>`;
}

/** About 20 KB in 10 files, unlike every other package. */
export function smallPackage(): Buffer {
  return samplePackage(loadCatalogue(), {
    files: {
      'PackageArtifact/build/index.html': uniquePage(),
      'PackageArtifact/build/assets/index-4f2a91c7.js': text(9_000),
      'PackageArtifact/build/assets/index-18c0ffee.css': text(4_000),
      'PackageArtifact/build/remoteEntry.js': text(3_000),
      'ModuleToS/terms.md': text(1_000),
      'ModulePrivacy/privacy.md': text(1_000),
    },
  });
}

/** About 5 KB in 9 files; a page and a script are unlike those of every other package. */
export function smallUpdate(): Buffer {
  return samplePackage(loadCatalogue(), {
    files: {
      'PackageArtifact/build/index.html': uniquePage(),
      'PackageArtifact/build/assets/chunk-0.js': text(3_000),
    },
  });
}

/** About 10 MB in 300 files, unlike every other package. */
export function largePackage(): Buffer {
  const chunks = Array.from({ length: LARGE_PACKAGE_FILES - SAMPLE_FILES }, (_, index) => [
    `PackageArtifact/build/assets/chunk-${index}.js`,
    text(45_000),
  ]);
  return samplePackage(loadCatalogue(), {
    files: {
      'PackageArtifact/build/index.html': uniquePage(),
      ...(Object.fromEntries(chunks) as Record<string, string>),
    },
  });
}
