import type { S3Client } from '@aws-sdk/client-s3';

/** The header of Signature Version 4 that a server checks the body against. */
const HEADER = 'x-amz-content-sha256';

/**
 * SHA-256 of bodies that somebody has computed already: requests with them are signed with it instead of reading
 * the body once more, and the server refuses bytes that are not those.
 */
export class KnownHashes {
  readonly #hashes = new WeakMap<Buffer, string>();

  /** Of a body as it will be sent, lower-case hex. */
  set(body: Buffer, sha256: string): void {
    this.#hashes.set(body, sha256);
  }

  /** Has all requests of a client use them. */
  useIn(client: S3Client): void {
    client.middlewareStack.add(
      (next) => async (args) => {
        const { request } = args;
        if (isUnsigned(request)) {
          const sha256 = Buffer.isBuffer(request.body) ? this.#hashes.get(request.body) : undefined;
          if (sha256 !== undefined) request.headers[HEADER] = sha256;
        }
        return next(args);
      },
      { step: 'build', name: 'knownHashes' },
    );
  }
}

/** A request as the SDK's middleware has it before it is signed. */
interface UnsignedRequest {
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}

function isUnsigned(request: unknown): request is UnsignedRequest {
  return typeof request === 'object' && request !== null && 'headers' in request;
}
