import type { Request, Response } from 'express';
import { changeItem, cursorText } from '../../shared/db/changes/change-item.ts';
import type { ChangePage } from '../../shared/db/changes/read-changes.ts';
import { currentOwner } from '../../shared/limits/owner.ts';
import type { ApiContext } from '../context.ts';
import { firstPage, nextPage, waitingTime, type FeedRequest } from './change-feed.ts';

const COMMENT_MS = 15_000;

/**
 * Streams changes as server-sent events until the key ends, the process shuts down, or the stream is some minutes old:
 * the client then reconnects with `Last-Event-ID`. Comments bear the cursor too, so that a client whose module changes
 * rarely reconnects with one that is still kept.
 */
export async function streamChanges(
  api: ApiContext,
  request: Request,
  response: Response,
  feed: FeedRequest,
): Promise<void> {
  const watch = api.changeWaiter.watch(feed.caller.moduleId);
  const { maxEventStreamSeconds } = api.config.streams;
  const time = waitingTime(api, response, maxEventStreamSeconds * 1_000);
  let comments: NodeJS.Timeout | undefined;
  try {
    let page = await firstPage(api, request, feed);
    response.status(200).setHeader('Content-Type', 'text/event-stream');
    response.set({ 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
    response.flushHeaders();
    comments = setInterval(() => response.write(commentOf(page)), COMMENT_MS);
    for (;;) {
      // Many streams may follow one module: not all write at once.
      await api.turns.next(currentOwner());
      for (const row of page.rows) {
        const item = changeItem(row);
        response.write(`id: ${item.cursor}\nevent: ${item.type}\ndata: ${JSON.stringify(item)}\n\n`);
      }
      if (!page.hasMore) await watch.next(time.signal);
      if (time.signal.aborted) break;
      page = await nextPage(api, request, feed, page.next);
    }
    response.write(commentOf(page));
  } catch (error) {
    if (!response.headersSent) throw error;
    // The client reconnects, and is refused or answered then.
  } finally {
    clearInterval(comments);
    time.end();
    watch.stop();
    if (response.headersSent) response.end();
  }
}

function commentOf({ next }: ChangePage): string {
  return `: still here\nid: ${cursorText(next)}\n\n`;
}
