import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PackageSource } from '../package/archive/source.ts';
import { ServerError } from './exit-codes.ts';
import { withFileSource } from './file-source.ts';
import { MAX_OUTAGE_MS } from './follow-import.ts';
import { answered, type ServerImport, type VendorSession } from './server.ts';

/** Options of an upload. */
export interface UploadOptions {
  readonly query: {
    readonly validateOnly?: boolean;
    readonly release?: 'staged';
    readonly renameScope?: boolean;
  };
  /** Identifies the upload: repeated uploads with the same key are imported once. */
  readonly idempotencyKey: string;
  onSent(bytes: number, totalBytes: number): void;
  onRetry(reason: string, seconds: number): void;
}

const ATTEMPTS = 6;

/**
 * Uploads a package and returns its import, which continues. Temporary failures are retried; the idempotency
 * key makes that safe.
 * @throws CannotRunError if the server refuses the upload or stays unavailable.
 */
export async function uploadPackage(
  session: VendorSession,
  file: string,
  options: UploadOptions,
): Promise<ServerImport> {
  return withFileSource(file, async (source) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await sendOnce(session, path.basename(file), source, options);
      } catch (error) {
        if (attempt === ATTEMPTS || !(error instanceof ServerError && error.isTemporary)) throw error;
        const seconds = Math.max(2 ** (attempt - 1), error.retryAfterSeconds);
        if (seconds * 1_000 > MAX_OUTAGE_MS) throw error;
        options.onRetry(error.message, seconds);
        await sleep(seconds * 1_000);
      }
    }
  });
}

async function sendOnce(
  { client, orgId }: VendorSession,
  fileName: string,
  source: PackageSource,
  { query, idempotencyKey, onSent }: UploadOptions,
): Promise<ServerImport> {
  const boundary = `modulectl-${randomUUID()}`;
  const upload = client.POST('/api/v8.0/{orgId}/ImportModuleAsync', {
    params: {
      path: { orgId },
      query,
      header: { Prefer: 'respond-async', 'Idempotency-Key': idempotencyKey },
    },
    headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
    // The serializer streams the body, so that a gigabyte is never in memory.
    body: { file: '' },
    bodySerializer: () => ReadableStream.from(multipart(boundary, fileName, source, onSent)),
    duplex: 'half',
  });
  return (await answered(upload)) as ServerImport;
}

/** The multipart body (RFC 7578). The file name is for people; characters that could end its quotes are replaced. */
async function* multipart(
  boundary: string,
  fileName: string,
  { sizeBytes, stream }: PackageSource,
  onSent: UploadOptions['onSent'],
): AsyncGenerator<Uint8Array> {
  // A line break in a name would start another header.
  const name = fileName.replaceAll(/["\\\u0000-\u001f\u007f]/g, '_');
  yield Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n` +
      'Content-Type: application/zip\r\n\r\n',
  );
  let sentBytes = 0;
  for await (const piece of stream(0, sizeBytes)) {
    yield piece;
    sentBytes += piece.length;
    onSent(sentBytes, sizeBytes);
  }
  yield Buffer.from(`\r\n--${boundary}--\r\n`);
}
