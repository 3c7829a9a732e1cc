import { LRUCache } from 'lru-cache';
import type { Request, RequestHandler } from 'express';
import { OverRateError } from '../../shared/limits/fair-rate.ts';
import { credentialName } from './credential.ts';
import { atMost } from '../../shared/limits/at-most.ts';

/** What is forgotten is found out again. */
const REMEMBERED = 10_000;
/** `Retry-After` counts in seconds. */
const SECOND_MS = 1_000;

interface Refusal {
  readonly message: string;
  readonly untilMs: number;
}

/**
 * Callers whose rate is used up. Until the time in their `Retry-After` they are refused by their credential, before
 * anything else is done for their requests: a client that does not wait costs next to nothing.
 */
export class RefusedCallers {
  readonly #refusals = new LRUCache<string, Refusal>(atMost(REMEMBERED));

  /** Remembers the refusal of a request. */
  add(request: Request, { message, retryMs }: OverRateError): void {
    const name = nameOf(request);
    const untilMs = performance.now() + Math.ceil(retryMs / SECOND_MS) * SECOND_MS;
    if (name !== null) this.#refusals.set(name, { message, untilMs });
  }

  /** Refuses the requests of these callers. */
  handler(): RequestHandler {
    return (request, _response, next) => {
      const refusal = this.#refusals.size === 0 ? null : this.#find(request);
      if (refusal !== null) throw refusal;
      next();
    };
  }

  #find(request: Request): OverRateError | null {
    const name = nameOf(request);
    const refusal = name === null ? undefined : this.#refusals.get(name);
    if (name === null || refusal === undefined) return null;
    const leftMs = refusal.untilMs - performance.now();
    if (leftMs > 0) return new OverRateError(refusal.message, leftMs);
    this.#refusals.delete(name);
    return null;
  }
}

const GUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/i;

/** A person may belong to several organizations, of which one is refused: the path names it. */
function nameOf(request: Request): string | null {
  const credential = credentialName(request);
  if (credential === null) return null;
  return `${credential} ${GUID.exec(request.path)?.[0].toLowerCase() ?? ''}`;
}
