import type { OutboundFetch } from '../../shared/outbound/outbound-fetch.ts';
import { PartProblem } from '../../shared/process/part-problem.ts';
import type { FetchJson } from '../auth/discover-issuer.ts';
import { isObject } from '../http/schema.ts';

/** Far more than an issuer's documents have. */
export const OUTBOUND_LIMITS = { maxBytes: 64 * 1024, timeoutMs: 10_000 };

/** Fetches the documents of issuers that vendors chose. */
export function outboundJson(outbound: Pick<OutboundFetch, 'fetch'>): FetchJson {
  return async (address) => {
    const { status, body } = await outbound.fetch(address, OUTBOUND_LIMITS);
    const members = status === 200 ? jsonObject(body) : null;
    if (members !== null) return { members, answeredAt: null };
    const problem =
      status === 200
        ? 'The issuer does not answer with a JSON object.'
        : `The issuer answers with ${status}.`;
    throw new PartProblem({ problem, advice: null });
  };
}

/** The JSON object of an answer; null where it is something else. */
export function jsonObject(body: Buffer): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
