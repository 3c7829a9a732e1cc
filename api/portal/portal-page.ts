import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';

type Encoding = 'br' | 'gzip' | 'identity';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const compress: Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 9 }),
  identity: (bytes) => Promise.resolve(bytes),
};

/** Where the build writes the browser's files: beside the compiled service, whether this runs compiled or not. */
const FOLDERS = ['../../portal', '../../dist/portal'].map((each) => path.resolve(import.meta.dirname, each));
const PAGE = 'index.html';

/** The script that shows notifications. Browsers compare it with the one that they have: its name stays. */
export const SERVICE_WORKER = 'service-worker.js';

const IMMUTABLE = 'public, max-age=31536000, immutable';

type PageLanguage = 'en' | 'de';

/** The cookie in which the portal's script keeps the reader's choice. */
const CHOSEN = /(?:^|;\s*)portal-language=(en|de)\s*(?:;|$)/;

/** What the page says before its script runs: the English texts that it is built with, and the German ones. */
const IN_GERMAN = [
  ['<html lang="en">', '<html lang="de">'],
  ['<title>Module portal</title>', '<title>Modulportal</title>'],
  ['The portal needs JavaScript.', 'Das Portal braucht JavaScript.'],
] as const;

function inGerman(page: string): string {
  return IN_GERMAN.reduce((text, [english, german]) => text.replace(english, german), page);
}

/** The portal's built page, scripts and styles, in memory. The names of scripts and styles change with their contents. */
export class PortalBuild {
  readonly #files: ReadonlyMap<string, Buffer>;
  readonly #compressed = new Map<string, Promise<Buffer>>();
  /** The only page of the portal, in each language; its script renders the content. */
  readonly #pages: Readonly<Record<PageLanguage, string>>;

  private constructor(folder: string) {
    const page = readFileSync(path.join(folder, PAGE), 'utf8');
    this.#pages = { en: page, de: inGerman(page) };
    const names = readdirSync(folder).filter((name) => path.extname(name) in MEDIA_TYPES);
    this.#files = new Map(names.map((name) => [name, readFileSync(path.join(folder, name))]));
  }

  /** Reads the built files; null if there are none. */
  static read(): PortalBuild | null {
    const folder = FOLDERS.find((each) => existsSync(path.join(each, PAGE)));
    return folder === undefined ? null : new PortalBuild(folder);
  }

  /** The page in the reader's language, which its script goes on in: the last choice, else what the browser prefers. */
  pageFor(request: Request): string {
    const chosen = CHOSEN.exec(request.get('cookie') ?? '')?.[1];
    const language = chosen ?? request.acceptsLanguages(['en', 'de']);
    return this.#pages[language === 'de' ? 'de' : 'en'];
  }

  /** Answers with a file in the best encoding that the client accepts; false if there is no such file. */
  async send(request: Request, response: Response, name: string, cacheControl = IMMUTABLE): Promise<boolean> {
    const bytes = this.#files.get(name);
    if (bytes === undefined) return false;
    const encoding = encodingOf(request);
    const key = `${encoding} ${name}`;
    const pending = this.#compressed.get(key) ?? compress[encoding](bytes);
    this.#compressed.set(key, pending);
    response.vary('Accept-Encoding').set({
      'Cache-Control': cacheControl,
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

/**
 * The Content-Security-Policy of the page. Its only frames are the applications of modules, from their own origins.
 * Scripts and styles load only from the assets, never from the paths that serve a vendor's files; the stylesheet's
 * icons are `data:` images, which cannot run anything.
 */
export function pagePolicy(origin: string, applicationOrigins: string | null): string {
  const at = (...paths: readonly string[]) => paths.map((each) => `${origin}/portal/${each}`).join(' ');
  return [
    "default-src 'none'",
    `script-src ${at('assets/')}`,
    `style-src ${at('assets/')}`,
    `img-src ${at('assets/', 'media/')} data:`,
    `connect-src ${at('api/', 'media/', 'session')}`,
    `worker-src ${at(SERVICE_WORKER)}`,
    `frame-src ${applicationOrigins ?? "'none'"}`,
    "require-trusted-types-for 'script'",
    // Its only policy makes the address of the service worker.
    'trusted-types service-worker',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
