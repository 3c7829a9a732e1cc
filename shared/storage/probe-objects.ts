import { randomBytes, randomUUID } from 'node:crypto';
import { type ExplainError, type ProbeStep, tryStep } from '../process/probe-step.ts';
import type { Storage, StoredObject } from './storage.ts';

/** Where the objects of probes are, apart from those of every deployment. */
const PREFIX = 'probes/';
/** A probe takes seconds: what is older was left by one that was killed. */
const STALE_MS = 3_600_000;
const BYTES = 1_000;
/** The probe itself may take some. */
const MOST_SKEW_SECONDS = 60;

/** The key of an object of one probe. */
export function probeKey(): string {
  return `${PREFIX}${randomUUID()}`;
}

/** Writes, reads, lists and removes one object. */
export async function probeObjects(storage: Storage, explain?: ExplainError): Promise<readonly ProbeStep[]> {
  const key = probeKey();
  const bytes = randomBytes(BYTES);
  const attempt = (step: string, act: () => Promise<string>) => tryStep(step, act, explain);
  const put = await attempt('put', async () => {
    await storage.put(key, bytes);
    return `an object of ${BYTES} bytes is stored`;
  });
  if (!put.ok) return [put];
  const get = await attempt('get', async () => {
    if (!bytes.equals(await storage.read(key, 0, BYTES))) throw new Error('the object has other bytes');
    return 'it is read as it was stored';
  });
  const range = await attempt('range', async () => {
    const read = await storage.read(key, 10, 10);
    if (!bytes.subarray(10, 20).equals(read)) throw new Error('the range has other bytes');
    return 'a range of it is read';
  });
  let storedAt: Date | undefined;
  const list = await attempt('list', async () => {
    storedAt = (await findObject(storage, key))?.storedAt;
    if (storedAt === undefined) throw new Error('the object is not listed');
    return 'it is listed';
  });
  const remove = await attempt('delete', async () => {
    await storage.remove(key);
    if ((await findObject(storage, key)) !== null) throw new Error('the object is listed after its removal');
    return 'it is removed';
  });
  return [put, get, range, list, remove, ...(storedAt === undefined ? [] : [compareClocks(storedAt)])];
}

async function findObject(storage: Storage, key: string): Promise<StoredObject | null> {
  for await (const object of storage.list(PREFIX)) {
    if (object.key === key) return object;
  }
  return null;
}

/** An object that was stored seconds ago has the time of the storage's clock. */
function compareClocks(storedAt: Date): ProbeStep {
  const seconds = Math.round((storedAt.getTime() - Date.now()) / 1_000);
  const ok = Math.abs(seconds) <= MOST_SKEW_SECONDS;
  return {
    step: 'clock',
    ok,
    detail: ok
      ? 'the clocks of the storage and of this machine agree'
      : `the clock of the storage is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} that of this machine`,
    advice: ok ? null : 'Let NTP set both clocks. S3 refuses requests at a difference of 15 minutes.',
  };
}

/** Removes what probes left that were killed. */
export async function removeStaleProbes(storage: Storage): Promise<void> {
  const before = new Date(Date.now() - STALE_MS);
  for await (const { key, storedAt } of storage.list(PREFIX)) {
    if (storedAt < before) await storage.remove(key);
  }
  await storage.removeUnfinished(PREFIX, before);
}
