import type { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import { Type } from 'typebox';
import type { LocatedFile } from '../../../shared/db/modules/located-file.ts';
import type { ApiContext } from '../../context.ts';
import { gzipBytes, type ArchiveReader } from '../../modules/archive-reader.ts';
import type { Answers } from '../answer.ts';
import { RANGE_HEADERS, startRange, IF_NONE_MATCH, isKnown } from '../request/conditional-request.ts';
import { binary, text } from '../schema.ts';
import { sendStream, type LongAnswer } from './send-stream.ts';

/** Displayed inline by browsers, and unable to run anything. SVG is not among them: it can contain scripts. */
export const RASTER_IMAGES: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
]);

/** The file in a path. */
export function filePath(example: string) {
  return {
    path: Type.String({
      minLength: 1,
      description: 'Path of the file in the package; slashes are not escaped.',
      example,
    }),
  };
}

/** Headers of requests for files. */
export const FILE_HEADERS = {
  ...IF_NONE_MATCH,
  'Accept-Encoding': text(
    'With `gzip`, a file that is deflated in the package is sent without decompression.',
  ),
  ...RANGE_HEADERS,
};

const HEADERS = ['ETag', 'Cache-Control', 'Accept-Ranges'];
const BYTES = { '*/*': { schema: binary('The bytes of the file.') } };

/** Answers with the bytes of a vendor's file. */
export const FILE_ANSWERS = {
  200: {
    description: 'The file, with its own media type; as gzip if the client accepts it.',
    forms: BYTES,
    headers: [...HEADERS, 'Content-Disposition'],
  },
  206: {
    description: 'The requested range of a file that is not compressed in the package.',
    forms: BYTES,
    headers: [...HEADERS, 'Content-Disposition', 'Content-Range'],
  },
  304: { description: 'The caller has this version.', headers: HEADERS },
  416: { description: 'The range is outside the file.', headers: [...HEADERS, 'Content-Range'] },
} satisfies Answers;

interface FileCall extends LongAnswer {
  readonly api: ApiContext;
  readonly request: Request;
}

/** How browsers may use a file. */
export interface FileUse {
  /** Headers of every answer. */
  readonly always: Readonly<Record<string, string>>;
  /** Headers of an answer with bytes of the file. */
  readonly described: Readonly<Record<string, string>>;
}

/** Headers that prevent a browser from running a file and from treating it as a page of this service. */
const AS_DOWNLOAD = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'private, no-cache',
};

function asDownload({ path, mediaType }: LocatedFile): FileUse {
  const disposition = RASTER_IMAGES.has(mediaType) ? 'inline' : attachment(path);
  return {
    always: AS_DOWNLOAD,
    described: { 'Content-Type': mediaType, 'Content-Disposition': disposition },
  };
}

/**
 * Sends a vendor's file from its archive. Its bytes are untrusted: unless another use is given, browsers download it. A
 * client that accepts gzip receives a deflated file as it is in the archive; ranges are supported for files that are
 * stored uncompressed.
 */
export async function sendFile(
  { api, request, response, authority }: FileCall,
  file: LocatedFile,
  { always, described } = asDownload(file),
): Promise<void> {
  const isGzip = file.method === 'deflate' && request.acceptsEncodings('gzip', 'identity') === 'gzip';
  const etag = isGzip ? gzipTag(file) : `"${file.sha256}"`;
  response.set({
    ...always,
    'Accept-Ranges': file.method === 'stored' ? 'bytes' : 'none',
    ETag: etag,
  });
  response.vary('Accept-Encoding');
  if (isKnown(request, etag)) {
    response.status(304).end();
    return;
  }
  const body = isGzip
    ? await gzipBody(request, response, api.moduleFiles.archives, file)
    : await contentBody(request, response, api.moduleFiles.archives, file);
  // Not by Express, which adds a character set to types of text.
  if (response.statusCode !== 416)
    for (const [name, value] of Object.entries(described)) response.setHeader(name, value);
  await sendBody({ api, response, authority }, body);
}

/** The bytes of gzip also depend on how the file is compressed. */
function gzipTag({ sha256, packedBytes, packedCrc32 }: LocatedFile): string {
  return `"${sha256}-gzip-${packedBytes.toString(16)}-${packedCrc32.toString(16)}"`;
}

type Body = Buffer | Readable | null;

async function gzipBody(
  { method }: Request,
  response: Response,
  archives: ArchiveReader,
  file: LocatedFile,
): Promise<Body> {
  const body = method === 'HEAD' ? null : await archives.gzip(file);
  response.set({ 'Content-Encoding': 'gzip', 'Content-Length': String(gzipBytes(file)) });
  return body;
}

async function contentBody(
  request: Request,
  response: Response,
  archives: ArchiveReader,
  file: LocatedFile,
): Promise<Body> {
  if (file.method === 'stored') {
    const range = startRange(request, response, file.sizeBytes, `"${file.sha256}"`);
    return range === null ? null : archives.range(file, range);
  }
  response.set('Content-Length', String(file.sizeBytes));
  return request.method === 'HEAD' ? null : archives.content(file);
}

async function sendBody(answer: LongAnswer, body: Body): Promise<void> {
  if (body === null || Buffer.isBuffer(body)) {
    answer.response.end(body);
    return;
  }
  await sendStream(answer, body);
}

/** A Content-Disposition that saves a file under the last segment of its path: RFC 6266, with RFC 8187 for names that are not plain ASCII. */
export function attachment(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
