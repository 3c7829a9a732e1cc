import { existsSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vite';

const here = import.meta.dirname;
const root = path.join(here, '../../..');
const parts = path.join(here, 'parts');

/** A file in `parts/` replaces the product's file of the same path, but for what imports it from `parts/` itself. */
export function simulatedParts() {
  return {
    name: 'simulated-parts',
    enforce: 'pre',
    async resolveId(source, importer, options) {
      if (!source.startsWith('.') || importer === undefined || importer.startsWith(parts)) return null;
      const found = await this.resolve(source, importer, { ...options, skipSelf: true });
      if (found === null) return null;
      const replacement = path.join(parts, path.relative(root, found.id));
      return existsSync(replacement) ? replacement : found;
    },
  };
}

/** The simulation as a program in `dist/simulation`. */
export default defineConfig({
  root,
  publicDir: false,
  logLevel: 'warn',
  plugins: [simulatedParts()],
  build: {
    ssr: path.join(here, 'main.ts'),
    outDir: path.join(root, 'dist/simulation'),
    emptyOutDir: true,
    target: 'node20.19',
    sourcemap: true,
    rolldownOptions: { output: { entryFileNames: 'main.mjs', codeSplitting: false } },
  },
});
