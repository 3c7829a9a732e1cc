import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import type { Authority } from '../../../shared/db/access/authority.ts';
import type { ApiContext } from '../../context.ts';
import { watchAuthority } from './watch-authority.ts';
import { disconnectSlowReader, isClientSlow, resetConnection } from './watch-pace.ts';

/** An answer whose source returns nothing for this long is aborted. */
const STALL_MS = 60_000;

/** The answer to a call, with the settings for it. */
export interface LongAnswer {
  readonly api: Pick<ApiContext, 'access' | 'config' | 'log'>;
  readonly response: Response;
  /** Which must hold until the answer ends; null where anyone may read it, or where its source watches this. */
  readonly authority: Authority | null;
}

/**
 * Streams a long answer. A client that disconnects, or reads too slowly, is not an error: the source is destroyed and
 * nothing is thrown. If the source fails, or the reader's authority is withdrawn, the connection is reset, so that no client
 * mistakes a part for the whole.
 * @throws what the source throws, and Error if it returns nothing for a minute.
 */
export async function sendStream(
  { api, response, authority }: LongAnswer,
  source: Readable,
  ...through: readonly Transform[]
): Promise<void> {
  const stall = new AbortController();
  response.setTimeout(STALL_MS, () => {
    if (isClientSlow(response)) return;
    stall.abort();
    resetConnection(response);
  });
  const stopPace = disconnectSlowReader(api, response);
  const stopAuthority =
    authority &&
    watchAuthority(api, authority, () => {
      api.log.info('reader lost access');
      resetConnection(response);
    });
  source.once('error', () => resetConnection(response));
  try {
    await pipeline([source, ...through, response]);
  } catch (error) {
    if (stall.signal.aborted) throw new Error('the source of the answer has stalled', { cause: error });
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'))
      throw error;
  } finally {
    stopPace();
    stopAuthority?.();
  }
}
