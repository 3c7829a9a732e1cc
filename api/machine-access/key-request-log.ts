import type { Request, Response } from 'express';
import type { ApiKeyGrant } from '../../shared/db/access/api-keys.ts';
import { logKeyRequests, type KeyRequest } from '../../shared/db/access/key-requests.ts';
import { currentSpan } from '../../shared/telemetry/current-span.ts';
import { BatchedNotes } from '../auth/batched-notes.ts';
import { routeTemplate } from '../http/server/observe-requests.ts';

/** Of one organization in each batch of a process: a busy back end does not fill memory or table. */
export const MAX_LOGGED_AT_ONCE = 100;

/** The log of requests with API keys, for the vendors whose back ends send them. */
export class KeyRequestLog extends BatchedNotes {
  /** By organization. */
  #waiting = new Map<string, KeyRequest[]>();

  /** Notes a request once its answer is sent or its back end disconnects. */
  follow({ id: keyId, ...grant }: ApiKeyGrant, request: Request, response: Response): void {
    const { clientId, moduleId, organizationId } = grant;
    // A busy back end pays nothing for what is not logged.
    if (this.#isFull(organizationId)) return;
    const createdAt = new Date();
    const { traceId } = currentSpan();
    const note = () =>
      this.note({
        ...{ organizationId, moduleId, clientId, keyId, traceId, createdAt },
        method: request.method,
        // As the documentation writes it.
        route: routeTemplate(request).replaceAll(/:(\w+)/g, '{$1}'),
        status: response.headersSent ? response.statusCode : null,
      });
    // A back end that disconnected while its key was checked has had its close event.
    if (response.destroyed) note();
    else response.once('close', note);
  }

  /** Keeps a request until the next batch, unless its organization has enough in it. */
  note(request: KeyRequest): void {
    const { organizationId } = request;
    if (this.#isFull(organizationId)) return;
    this.#waiting.set(organizationId, [...(this.#waiting.get(organizationId) ?? []), request]);
  }

  #isFull(organizationId: string): boolean {
    return (this.#waiting.get(organizationId)?.length ?? 0) >= MAX_LOGGED_AT_ONCE;
  }

  protected async write(): Promise<void> {
    const requests = [...this.#waiting.values()].flat();
    if (requests.length === 0) return;
    this.#waiting = new Map();
    try {
      await logKeyRequests(this.database, requests);
    } catch (error) {
      this.log.warn({ err: error, requests: requests.length }, 'requests with API keys not logged');
    }
  }
}
