import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

/** `vitest` is the runner's own, which it resolves itself. */
const PACKAGE = /^(?!node:|vitest(?:\/|$))(?:@[\w-]+\/)?[\w-]+(?:\/|$)/;

/**
 * Finds packages where Node finds them. Vite prefers modules that bundlers read and Node cannot load: the runner would
 * transform 900 of them for each worker, and tests would run other files than the service does.
 */
export function packagesOfNode(): Plugin {
  return {
    name: 'packages-of-node',
    enforce: 'pre',
    resolveId(id, importer) {
      if (!PACKAGE.test(id) || importer?.includes('/node_modules/') === true) return null;
      const found = import.meta.resolve(id);
      return found.startsWith('file:') ? fileURLToPath(found) : null;
    },
  };
}
