import { randomBytes, randomFillSync, randomUUID } from 'node:crypto';
import { crc32, deflateRawSync } from 'node:zlib';
import { loadCatalogue } from '../../../../shared/catalogue/catalogue.ts';
import {
  ALERT_RULES,
  PIXEL,
  ROLES,
  sampleDescriptor,
  samplePackage,
} from '../../../support/sample-package.ts';
import { buildZip } from '../../../support/zip-builder.ts';

const catalogue = loadCatalogue();
const FILES_OF_LARGE_PACKAGE = 200;
/** The last chunk of a PNG, IEND, has no data. */
const PNG_END_BYTES = 12;

/** Text that deflates to three quarters, unlike any other. */
function text(bytes: number): string {
  return randomBytes(bytes * 0.75).toString('base64');
}

function uniquePage(): string {
  return `<!doctype html><title>${randomUUID()}</title>`;
}

/** The sample's logo with a comment, in a chunk before the last (PNG 11.3.4.3, tEXt). */
function uniqueLogo(): Buffer {
  const comment = Buffer.from(`tEXtComment\0${randomUUID()}`);
  const chunk = Buffer.alloc(comment.length + 8);
  chunk.writeUInt32BE(comment.length - 4);
  comment.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(comment), comment.length + 4);
  return Buffer.concat([PIXEL.subarray(0, -PNG_END_BYTES), chunk, PIXEL.subarray(-PNG_END_BYTES)]);
}

function uniqueTranslation() {
  return [{ languageId: catalogue.englishId, moduleName: `Soil moisture ${randomUUID()}` }];
}

/** About 20 KB in 10 files; no file has the bytes of a file of another package. */
export function smallPackage(): Buffer {
  return samplePackage(catalogue, {
    descriptor: { translations: uniqueTranslation() },
    files: {
      'PackageArtifact/build/index.html': uniquePage(),
      'PackageArtifact/build/assets/index-4f2a91c7.js': text(16_000),
      'PackageArtifact/build/assets/index-18c0ffee.css': text(3_000),
      'PackageArtifact/build/remoteEntry.js': text(2_000),
      'ModuleToS/terms.md': text(1_000),
      'ModulePrivacy/privacy.md': text(1_000),
      'ModuleLogo/logo.png': uniqueLogo(),
      'AlertRuleDefinitionFile/alert-rules.yaml': `${ALERT_RULES}# ${randomUUID()}\n`,
      'ModuleSpecificRolesEntitiesDefinition/roles.json': ROLES.replace('Charts', `Charts ${randomUUID()}`),
    },
  });
}

/** About 5 KB in 9 files; a page and a script are unlike those of every other package. */
export function smallUpdate(): Buffer {
  return samplePackage(catalogue, {
    files: {
      'PackageArtifact/build/index.html': uniquePage(),
      'PackageArtifact/build/assets/chunk-0.js': text(3_000),
    },
  });
}

/** A package of this size in 200 files that do not compress, unlike every other package. */
export function largePackage(bytes: number): Buffer {
  const descriptor = sampleDescriptor(catalogue, { translations: uniqueTranslation(), moduleFiles: [] });
  const content = Buffer.alloc(Math.floor(bytes / FILES_OF_LARGE_PACKAGE));
  const files = Array.from({ length: FILES_OF_LARGE_PACKAGE }, (_, index) => {
    randomFillSync(content);
    // Marked as deflated, as every tool that makes packages does: readers have to inflate.
    const packed = deflateRawSync(content, { level: 0 });
    const path = `PackageArtifact/build/assets/part-${index}.bin`;
    const local = { crc32: crc32(content), sizeBytes: content.length };
    return { path, packed, method: 'deflate', local, central: local } as const;
  });
  return buildZip([{ path: 'moduleSchema.json', content: JSON.stringify(descriptor) }, ...files]);
}
