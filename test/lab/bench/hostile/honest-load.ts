import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Pool } from 'undici';
import { smallPackage } from '../import/packages.ts';
import { UPLOAD_TYPE, uploadBody } from '../import/service.ts';
import { frostAlert } from '../machine-access/seed.ts';

const EVERY_MS = 250;
/** A call that takes longer counts as one that took this long and failed. */
const PATIENCE_MS = 60_000;

/** A vendor and a farmer who has installed its module. */
export interface HonestOrganization {
  readonly vendorId: string;
  readonly vendorToken: string;
  readonly farmerId: string;
  readonly farmerToken: string;
  readonly moduleId: string;
  readonly key: string;
  readonly ruleId: string;
  readonly farmId: string;
}

interface HonestCall {
  readonly kind: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

/** The answers to the calls of one kind. */
export interface HonestResult {
  readonly durationsMs: number[];
  /** The status of each call that did not succeed; 0: no answer. */
  readonly failures: number[];
}

export type HonestResults = ReadonlyMap<string, HonestResult>;

/** The calls of one organization, which it makes in turn. */
const CALLS: readonly ((of: HonestOrganization) => HonestCall)[] = [
  ({ vendorId, vendorToken }) => ({
    kind: 'import of 20 KB',
    method: 'POST',
    path: `/api/v8.0/${vendorId}/ImportModuleAsync`,
    headers: { Authorization: `Bearer ${vendorToken}`, 'Content-Type': UPLOAD_TYPE },
    body: uploadBody(smallPackage()),
  }),
  ({ vendorId, vendorToken }) => ({
    kind: 'modules, token',
    method: 'GET',
    path: `/api/v8.0/${vendorId}/modules`,
    headers: { Authorization: `Bearer ${vendorToken}` },
  }),
  ({ farmerId, farmerToken }) => ({
    kind: 'structures, token',
    method: 'GET',
    path: `/api/v8.0/${farmerId}/structures`,
    headers: { Authorization: `Bearer ${farmerToken}` },
  }),
  ({ moduleId, key }) => ({
    kind: 'structures, key',
    method: 'GET',
    path: `/api/v8.0/Alerts/StructuresByModuleId/${moduleId}`,
    headers: { 'X-Api-Key': key },
  }),
  ({ moduleId, key, ruleId, farmId }) => ({
    kind: 'alert, key',
    method: 'POST',
    path: `/api/v8.0/Alerts/AlertsByModuleId/${moduleId}`,
    headers: { 'X-Api-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ alerts: [frostAlert(ruleId, farmId, randomUUID())] }),
  }),
];

/** Each organization makes four calls a second, whether the ones before are answered or not. */
export async function runHonestLoad(
  origin: string,
  organizations: readonly HonestOrganization[],
  seconds: number,
): Promise<HonestResults> {
  const pool = new Pool(origin, { connections: 256, headersTimeout: PATIENCE_MS, bodyTimeout: PATIENCE_MS });
  const results = new Map<string, HonestResult>();
  const running: Promise<void>[] = [];
  const lane = async (organization: HonestOrganization, index: number) => {
    // Not all at the same moment.
    await setTimeout((index * EVERY_MS) / organizations.length);
    const endMs = performance.now() + seconds * 1_000;
    for (let turn = index; performance.now() < endMs; turn += 1) {
      const call = CALLS[turn % CALLS.length]?.(organization);
      if (call !== undefined) running.push(measureCall(pool, call, results));
      await setTimeout(EVERY_MS);
    }
  };
  await Promise.all(organizations.map(lane));
  await Promise.all(running);
  await pool.close();
  return results;
}

async function measureCall(
  pool: Pool,
  { kind, ...call }: HonestCall,
  results: Map<string, HonestResult>,
): Promise<void> {
  const result = results.get(kind) ?? { durationsMs: [], failures: [] };
  results.set(kind, result);
  const startMs = performance.now();
  const status = await answered(pool, call);
  result.durationsMs.push(performance.now() - startMs);
  if (status !== 200) result.failures.push(status);
}

async function answered(pool: Pool, call: Omit<HonestCall, 'kind'>): Promise<number> {
  try {
    const { statusCode, body } = await pool.request(call);
    await body.dump({ limit: Infinity });
    return statusCode;
  } catch {
    return 0;
  }
}

/** The duration that this share of the calls did not exceed. */
export function percentileMs({ durationsMs }: HonestResult, share: number): number {
  const sorted = durationsMs.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
