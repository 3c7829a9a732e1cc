import { readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vite';

const here = import.meta.dirname;
const root = path.join(here, '../..');

/** The files of the package beside the bundle. */
const FILES = {
  'package.json': path.join(here, 'package.json'),
  'README.md': path.join(root, 'docs/vendors.md'),
  LICENSE: path.join(root, 'LICENSE'),
};

/** The package `modulectl` in `dist/cli`: one file that needs nothing but Node. */
export default defineConfig({
  root,
  publicDir: false,
  logLevel: 'warn',
  ssr: { noExternal: true },
  build: {
    ssr: path.join(here, 'modulectl.ts'),
    outDir: path.join(root, 'dist/cli'),
    emptyOutDir: true,
    target: 'node20.19',
    minify: true,
    // The licenses of the bundled libraries must be distributed with it.
    license: { fileName: 'THIRD-PARTY-LICENSES.md' },
    rolldownOptions: { output: { entryFileNames: 'modulectl.mjs', codeSplitting: false } },
  },
  plugins: [
    {
      name: 'package-files',
      generateBundle() {
        for (const [fileName, file] of Object.entries(FILES))
          this.emitFile({ type: 'asset', fileName, source: readFileSync(file) });
      },
    },
  ],
});
