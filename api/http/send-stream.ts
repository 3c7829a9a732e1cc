import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

/** An answer that stalls for this long is aborted: it uses a connection to the database or to storage. */
const STALL_MS = 60_000;

/**
 * Streams a long answer. A client that disconnects, or reads nothing for a minute, is not an error: the source is
 * destroyed and nothing is thrown. If the source fails, the connection is destroyed, so that no client mistakes a
 * part for the whole.
 * @throws what the source throws, and Error if it returns nothing for a minute.
 */
export async function sendStream(
  response: Response,
  source: Readable,
  ...through: readonly Transform[]
): Promise<void> {
  response.setTimeout(STALL_MS, () => {
    const isClientSlow = response.writableNeedDrain;
    response.destroy(isClientSlow ? undefined : new Error('the source of the answer has stalled'));
  });
  try {
    await pipeline([source, ...through, response]);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'))
      throw error;
  }
}
