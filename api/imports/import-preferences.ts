import type { Request } from 'express';
import { expectedRevisions, IF_MATCH_REVISION } from '../http/request/expected-revisions.ts';
import { IDEMPOTENCY_KEY, readIdempotencyKey } from '../http/request/idempotency-key.ts';
import { preferencesOf, preferredWait } from '../http/request/prefer.ts';
import { text } from '../http/schema.ts';

/** Headers with the client's preferences for its import. */
export const PREFERENCE_HEADERS = {
  Prefer: text('`respond-async` returns 202 at once; `wait=N` waits at most N seconds (RFC 7240).'),
  ...IDEMPOTENCY_KEY,
  ...IF_MATCH_REVISION,
};

/** A client's preferences for its import. */
export interface ImportPreferences {
  readonly validateOnly: boolean;
  /** Whether the revision is not released, whatever the module's policy. */
  readonly staged: boolean;
  /** Whether the package may give the module another scope. */
  readonly renameScope: boolean;
  /** The module that the package updates, also if it names none; null: the one that it names, or a new one. */
  readonly moduleId: string | null;
  readonly idempotencyKey: string | null;
  /** Null: any; empty: the module must exist, in any revision. */
  readonly expectedRevisions: number[] | null;
  /** Seconds to wait for the end; 0 answers 202 at once. Null: as long as the server waits. */
  readonly waitSeconds: number | null;
  /** The preferences of RFC 7240 that were understood, for `Preference-Applied`. */
  readonly applied: string | null;
}

/** The options in the query of a request. */
export interface ImportQuery {
  readonly validateOnly?: boolean;
  readonly moduleId?: string;
  readonly release?: 'staged';
  readonly renameScope?: boolean;
}

/** The preferences of a request, by its query and headers. @throws ProblemError 400 for a malformed header. */
export function importPreferences(
  request: Request,
  { validateOnly = false, moduleId, release, renameScope = false }: ImportQuery,
): ImportPreferences {
  return {
    validateOnly,
    staged: release === 'staged',
    renameScope,
    moduleId: moduleId ?? null,
    idempotencyKey: readIdempotencyKey(request),
    expectedRevisions: expectedRevisions(request),
    ...readPrefer(request.get('prefer') ?? ''),
  };
}

function readPrefer(value: string): Pick<ImportPreferences, 'waitSeconds' | 'applied'> {
  if (preferencesOf(value).includes('respond-async')) return { waitSeconds: 0, applied: 'respond-async' };
  const wait = preferredWait(value);
  return wait === null
    ? { waitSeconds: null, applied: null }
    : { waitSeconds: wait, applied: `wait=${wait}` };
}
