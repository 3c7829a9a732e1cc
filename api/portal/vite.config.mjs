import path from 'node:path';
import { defineConfig } from 'vite';

const here = import.meta.dirname;

/** The portal's browser code, built beside the compiled service. */
export default defineConfig({
  root: path.join(here, 'pages'),
  base: '/portal/assets/',
  publicDir: false,
  logLevel: 'warn',
  build: {
    outDir: path.join(here, '../../dist/portal'),
    emptyOutDir: true,
    target: 'es2022',
    assetsDir: '',
    // Assets are not inlined: the page's Content-Security-Policy decides what it may load.
    assetsInlineLimit: 0,
    modulePreload: false,
    rolldownOptions: {
      input: [path.join(here, 'pages/index.html'), path.join(here, 'service-worker/service-worker.ts')],
      output: {
        // It is registered by its address, so its name stays.
        entryFileNames: ({ name }) => (name === 'service-worker' ? '[name].js' : '[name]-[hash].js'),
      },
    },
  },
});
