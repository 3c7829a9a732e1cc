import { createHash } from 'node:crypto';
import type { Pacer } from '../archive/pacer.ts';
import type { Descriptor, StoredDescriptor } from '../descriptor/descriptor.ts';
import type { PackageFile } from '../package-report.ts';
import { canonicalJson } from '../text/canonical-json.ts';

/** A file of a record. */
export type PublishedFile = Pick<PackageFile, 'path' | 'sha256'>;

/**
 * SHA-256 over the files in the order of their paths (code units), a line `<SHA-256>  <path>` for each, as `sha256sum`
 * prints it.
 */
export async function hashFiles(files: Iterable<PublishedFile>, pacer: Pacer): Promise<Buffer> {
  const hash = createHash('sha256');
  await pacer.forEach(files, ({ path, sha256 }) => hash.update(`${sha256}  ${path}\n`));
  return hash.digest();
}

/**
 * SHA-256 of a descriptor in normal form, as JSON with sorted members and without null, empty lists, and the values of
 * environment variables: whoever knows the rest could try values until the hash is equal.
 */
export function hashDescriptor(descriptor: Descriptor | StoredDescriptor): Buffer {
  const environmentVariables = descriptor.environmentVariables.map(({ appEnvironmentId, key }) => ({
    appEnvironmentId,
    key,
  }));
  return createHash('sha256')
    .update(canonicalJson(withoutEmpty({ ...descriptor, environmentVariables })))
    .digest();
}

/** Members that a later version adds to the normal form change no hash while nobody uses them. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null && !(Array.isArray(member) && member.length === 0))
      .map(([name, member]) => [name, withoutEmpty(member)]),
  );
}
