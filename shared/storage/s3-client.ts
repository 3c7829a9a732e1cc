import { S3Client } from '@aws-sdk/client-s3';
import type { S3Config } from '../config/part-config.ts';
import { within } from '../process/within.ts';
import { explainS3Error } from './s3-problems.ts';

const CONNECT_MS = 5_000;
/** The longest time until a request is answered, with all its retries: a client waits for it. */
export const ANSWER_MS = 12_000;
/** A body without data for this time is broken off; the rest is requested again. */
const SILENT_MS = 30_000;

/** Opens a client of the bucket's store. Its requests fail with a `StorageError` that says what to do. */
export function openS3Client(config: S3Config): S3Client {
  const checksums = config.checksums === 'when-supported' ? 'WHEN_SUPPORTED' : 'WHEN_REQUIRED';
  const client = new S3Client({
    region: config.region,
    forcePathStyle: config.forcePathStyle,
    requestChecksumCalculation: checksums,
    responseChecksumValidation: checksums,
    // Builds the middleware once for each kind of request instead of for each request.
    cacheMiddleware: true,
    ...(config.credentials !== null && { credentials: config.credentials }),
    ...(config.endpoint !== null && { endpoint: config.endpoint }),
    // A server that accepts a connection and then sends nothing must not block an import forever.
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: ANSWER_MS,
      throwOnRequestTimeout: true,
      socketTimeout: SILENT_MS,
      httpAgent: { maxSockets: config.maxSockets },
      httpsAgent: { maxSockets: config.maxSockets },
    },
  });
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (request) => {
        try {
          return await within(ANSWER_MS, next(request), unanswered);
        } catch (error) {
          throw explainS3Error(error, config, commandName ?? 'request');
        }
      },
    // The first step of all: it sees errors of credentials and those that are left after the retries.
    { name: 'explainErrors', step: 'initialize', priority: 'high' },
  );
  return client;
}

/** As from the SDK itself: the store is said not to answer. */
function unanswered(): Error {
  return Object.assign(new Error(`no answer within ${ANSWER_MS} ms`), { name: 'TimeoutError' });
}
