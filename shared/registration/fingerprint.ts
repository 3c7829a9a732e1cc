import { createHash } from 'node:crypto';
import type { Pacer } from '../package/archive/pacer.ts';
import type { Descriptor } from '../package/descriptor/descriptor.ts';
import type { PackageContent } from '../package/package-report.ts';
import { canonicalJson } from '../package/text/canonical-json.ts';

/** SHA-256 of the descriptor's normal form and of each file: equal means that nothing changed. */
export async function fingerprintOf(
  descriptor: Descriptor,
  files: PackageContent['files'],
  pacer: Pacer,
): Promise<Buffer> {
  const hash = createHash('sha256').update(canonicalJson(descriptor));
  await pacer.forEach(files, ({ path, sha256 }) => hash.update(`\0${path}\0${sha256}`));
  return hash.digest();
}

/** SHA-256 of how each file is compressed: equal contents that are packed alike make equal exports. */
export async function packingOf(files: PackageContent['files'], pacer: Pacer): Promise<Buffer> {
  const hash = createHash('sha256');
  await pacer.forEach(files, ({ method, packedBytes, packedCrc32 }) =>
    hash.update(`${method} ${packedBytes} ${packedCrc32}\n`),
  );
  return hash.digest();
}
