import { rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'vite';
// It adds `configureVitest` to the type of plugins.
import type {} from 'vitest/config';

const ROOT = path.resolve(import.meta.dirname, '../..');
const THREAD = /new URL\('([\w./-]+-thread)\.js', import\.meta\.url\)/;

/** A thread runs compiled code only: for the tests its module is bundled when the first file names it. */
const bundles = new Map<string, Promise<string>>();

/** Lets the service start its threads from sources that vitest transforms. */
export function bundledThreads(): Plugin {
  return {
    name: 'bundled-threads',
    enforce: 'pre',
    configureVitest(context) {
      // The address of a bundle is that of one run.
      context.experimental_defineCacheKeyGenerator(({ sourceCode }) =>
        THREAD.test(sourceCode) ? false : null,
      );
    },
    async transform(code, id) {
      const [named, module] = THREAD.exec(code) ?? [];
      if (named === undefined || module === undefined) return null;
      const entry = path.resolve(path.dirname(id), `${module}.ts`);
      const bundle = bundles.get(entry) ?? bundleThread(entry);
      bundles.set(entry, bundle);
      return code.replace(named, `new URL(${JSON.stringify(await bundle)})`);
    },
  };
}

async function bundleThread(entry: string): Promise<string> {
  const name = path.basename(entry, '.ts');
  const outDir = path.join(ROOT, 'dist/test-threads', `${name}-${process.pid}`);
  process.once('exit', () => rmSync(outDir, { recursive: true, force: true }));
  await build({
    configFile: false,
    root: ROOT,
    publicDir: false,
    logLevel: 'error',
    build: { ssr: entry, outDir, emptyOutDir: true, target: 'node20.19', sourcemap: 'inline' },
  });
  return pathToFileURL(path.join(outDir, `${name}.js`)).href;
}
