import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { LocatedFile } from '../shared/db/modules.ts';
import { fileKey } from '../shared/db/stored-files.ts';
import type { Storage } from '../shared/storage.ts';
import { isKnown } from './http.ts';

/** Shown in place by browsers, and unable to run anything. SVG is not among them: it can hold scripts. */
export const RASTER_IMAGES: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
]);

/**
 * Streams a vendor's file. Its bytes are hostile: the headers keep a browser from running them, or from
 * taking them for a page of this service.
 */
export async function sendFile(
  request: Request,
  response: Response,
  storage: Storage,
  file: LocatedFile,
): Promise<void> {
  const etag = `"${file.sha256}"`;
  const isRaster = RASTER_IMAGES.has(file.mediaType);
  response.set({
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'private, no-cache',
    ETag: etag,
    'Accept-Ranges': 'bytes',
  });
  if (isKnown(request, etag)) {
    response.status(304).end();
    return;
  }
  response.set('Content-Disposition', isRaster ? 'inline' : attachment(file.path));
  response.setHeader('Content-Type', file.mediaType);
  const range = readRange(request, file.sizeBytes, etag);
  if (range === 'unsatisfiable') {
    response
      .status(416)
      .set('Content-Range', `bytes */${file.sizeBytes}`)
      .removeHeader('Content-Disposition');
    response.end();
    return;
  }
  const { offset, length } = range ?? { offset: 0, length: file.sizeBytes };
  response.set('Content-Length', String(length));
  if (range !== null)
    response.status(206).set('Content-Range', `bytes ${offset}-${offset + length - 1}/${file.sizeBytes}`);
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  const stream = await storage.stream(fileKey(file.objectKey), { offset, length });
  await pipeline(stream, response).catch((error: unknown) => {
    // A client that hangs up is no fault; a storage that breaks off has destroyed the answer, which the client sees.
    if (!response.destroyed) throw error;
  });
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

interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** One range of RFC 9110; several at once, and a range of another version, get the whole file. */
function readRange(request: Request, sizeBytes: number, etag: string): ByteRange | 'unsatisfiable' | null {
  // Ranges are defined for GET alone (RFC 9110, 14.2).
  if (request.method !== 'GET') return null;
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(request.get('range') ?? '') ?? [];
  if (first === '' && last === '') return null;
  const version = request.get('if-range');
  if (version !== undefined && version !== etag) return null;
  const offset = first === '' ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  return offset > end ? 'unsatisfiable' : { offset, length: end - offset + 1 };
}
