import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { components } from '../client/openapi-types.ts';
import { CannotRunError, reasonOf } from './exit-codes.ts';
import { answered, ServerRefusalError } from './server-answer.ts';
import type { VendorSession } from './server-session.ts';

/** An import as the server tells it. */
export type ServerImport = components['schemas']['Import'];

/** How a package is to be uploaded. */
export interface UploadOptions {
  readonly isValidateOnly: boolean;
  /** Stands for this upload: sent again under it, the package is imported once. */
  readonly idempotencyKey: string;
  onSent(bytes: number, totalBytes: number): void;
  onRetry(reason: string, seconds: number): void;
}

const ATTEMPTS = 6;
const FIRST_WAIT_SECONDS = 1;
const PIECE_BYTES = 256 * 1024;

/**
 * Uploads a package and gives the import that it became, which goes on. What may pass is tried again; the
 * idempotency key makes that safe.
 * @throws CannotRunError when the server refuses the upload or stays out of reach.
 */
export async function uploadPackage(
  session: VendorSession,
  file: string,
  options: UploadOptions,
): Promise<ServerImport> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await sendOnce(session, file, options);
    } catch (error) {
      if (attempt === ATTEMPTS || !mayPass(error)) throw error;
      const seconds = FIRST_WAIT_SECONDS * 2 ** (attempt - 1);
      options.onRetry(error.message, seconds);
      await sleep(seconds * 1_000);
    }
  }
}

/** No answer, too many requests, or a fault of the server: another time it may go well. */
function mayPass(error: unknown): error is CannotRunError {
  if (error instanceof FileError || !(error instanceof CannotRunError)) return false;
  return !(error instanceof ServerRefusalError) || error.status === 429 || error.status >= 500;
}

/** The package itself cannot be read: no other time makes that better. */
class FileError extends CannotRunError {}

async function sendOnce(
  { client, organizationId }: VendorSession,
  file: string,
  { isValidateOnly, idempotencyKey, onSent }: UploadOptions,
): Promise<ServerImport> {
  const boundary = `modulectl-${randomUUID()}`;
  const handle = await open(file).catch((error: unknown) => {
    throw new FileError(`Cannot read ${file}: ${reasonOf(error)}.`);
  });
  try {
    const { size } = await handle.stat();
    const pieces = multipart(boundary, path.basename(file), countedPieces());
    async function* countedPieces(): AsyncGenerator<Buffer> {
      let sent = 0;
      for await (const piece of handle.createReadStream({ highWaterMark: PIECE_BYTES, autoClose: false })) {
        yield piece as Buffer;
        sent += (piece as Buffer).length;
        onSent(sent, size);
      }
    }
    const upload = client.POST('/api/v8.0/{orgId}/ImportModuleAsync', {
      params: {
        path: { orgId: organizationId },
        query: isValidateOnly ? { validateOnly: true } : {},
        header: { Prefer: 'respond-async', 'Idempotency-Key': idempotencyKey },
      },
      headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
      // The body is made by the serializer: piece by piece, so that a gigabyte needs no memory.
      body: { file: '' },
      bodySerializer: () => ReadableStream.from(pieces),
      duplex: 'half',
    });
    return (await answered(upload)) as ServerImport;
  } finally {
    await handle.close();
  }
}

/** RFC 7578. The name is for people to read; what could end its quotes is left out. */
async function* multipart(
  boundary: string,
  fileName: string,
  content: AsyncIterable<Buffer>,
): AsyncGenerator<Uint8Array> {
  // A line break in a name would begin another header.
  const name = fileName.replaceAll(/["\\\u0000-\u001f\u007f]/g, '_');
  yield Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n` +
      'Content-Type: application/zip\r\n\r\n',
  );
  yield* content;
  yield Buffer.from(`\r\n--${boundary}--\r\n`);
}
