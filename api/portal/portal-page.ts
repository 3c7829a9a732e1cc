import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';

/** The files that the portal's page loads first. */
interface PageEntry {
  readonly script: string;
  readonly styles: readonly string[];
}

type Encoding = 'br' | 'gzip' | 'identity';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const MANIFEST = 'manifest.json';

const compress: Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 9 }),
  identity: (bytes) => Promise.resolve(bytes),
};

/** Where the build writes the browser's files: beside the compiled service, whether this runs compiled or not. */
const FOLDERS = ['../../portal', '../../dist/portal'].map((each) => path.resolve(import.meta.dirname, each));

/** The portal's built scripts and styles, in memory. Their names change with their contents. */
export class BuiltAssets {
  readonly #files: ReadonlyMap<string, Buffer>;
  readonly #compressed = new Map<string, Promise<Buffer>>();
  readonly entry: PageEntry;

  private constructor(folder: string) {
    const manifest: unknown = JSON.parse(readFileSync(path.join(folder, MANIFEST), 'utf8'));
    this.entry = entryOf(manifest);
    const names = readdirSync(folder).filter((name) => path.extname(name) in MEDIA_TYPES);
    this.#files = new Map(names.map((name) => [name, readFileSync(path.join(folder, name))]));
  }

  /** Reads the built files; null if there are none. */
  static read(): BuiltAssets | null {
    const folder = FOLDERS.find((each) => existsSync(path.join(each, MANIFEST)));
    return folder === undefined ? null : new BuiltAssets(folder);
  }

  /** Answers with a file in the best encoding that the client accepts; false if there is no such file. */
  async send(request: Request, response: Response, name: string): Promise<boolean> {
    const bytes = this.#files.get(name);
    if (bytes === undefined) return false;
    const encoding = encodingOf(request);
    const key = `${encoding} ${name}`;
    const pending = this.#compressed.get(key) ?? compress[encoding](bytes);
    this.#compressed.set(key, pending);
    response.set({
      'Cache-Control': 'public, max-age=31536000, immutable',
      Vary: 'Accept-Encoding',
      'Content-Type': MEDIA_TYPES[path.extname(name)] ?? '',
      ...(encoding !== 'identity' && { 'Content-Encoding': encoding }),
    });
    response.send(await pending);
    return true;
  }
}

function encodingOf(request: Request): Encoding {
  const accepted = request.acceptsEncodings(['br', 'gzip', 'identity']);
  return accepted === 'br' || accepted === 'gzip' ? accepted : 'identity';
}

/** The only entry of Vite's manifest. */
function entryOf(manifest: unknown): PageEntry {
  const chunks: unknown[] = typeof manifest === 'object' && manifest !== null ? Object.values(manifest) : [];
  const entry = chunks.find(isEntry);
  if (entry === undefined) throw new Error("the portal's manifest has no entry");
  return { script: entry.file, styles: entry.css ?? [] };
}

function isEntry(chunk: unknown): chunk is { file: string; css?: string[] } {
  return (
    typeof chunk === 'object' &&
    chunk !== null &&
    'isEntry' in chunk &&
    chunk.isEntry === true &&
    'file' in chunk &&
    typeof chunk.file === 'string' &&
    (!('css' in chunk) || Array.isArray(chunk.css))
  );
}

/** The only page of the portal; its script renders the content. */
export function portalPage({ script, styles }: PageEntry): string {
  const links = styles.map((name) => `<link rel="stylesheet" href="/portal/assets/${name}">`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Module portal</title>
<link rel="icon" href="data:,">
${links.join('\n')}
<script type="module" src="/portal/assets/${script}"></script>
</head>
<body>
<div id="portal"></div>
<noscript>The portal needs JavaScript.</noscript>
</body>
</html>
`;
}

/**
 * The Content-Security-Policy of the page. Its only frames are the applications of modules, from their own origin. Scripts and styles load only from the assets, never from the paths that
 * serve a vendor's files; the stylesheet's icons are `data:` images, which cannot run anything.
 */
export function pagePolicy(origin: string, applicationOrigin: string | null): string {
  const at = (...paths: readonly string[]) => paths.map((each) => `${origin}/portal/${each}`).join(' ');
  return [
    "default-src 'none'",
    `script-src ${at('assets/')}`,
    `style-src ${at('assets/')}`,
    `img-src ${at('assets/', 'media/')} data:`,
    `connect-src ${at('api/', 'media/', 'session')}`,
    `frame-src ${applicationOrigin ?? "'none'"}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
