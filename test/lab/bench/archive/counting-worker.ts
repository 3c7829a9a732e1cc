// The worker as it is, which also reports to its parent what it fetched from storage, and its peak of memory.
import { loadProcessConfig } from '../../../../shared/config/config.ts';
import { runProcess, notifyParent } from '../../../../shared/process/run-process.ts';
import type { Storage } from '../../../../shared/storage/storage.ts';
import { runWorker } from '../../../../worker/run-worker.ts';
import { residentPeakMiB } from '../process-tree.ts';

/** The resources that a worker used since it started. */
export interface WorkerUse {
  readonly fetchedBytes: number;
  readonly peakResidentMiB: number;
}

/** Counts the bytes of every range that is fetched. */
function countFetched(storage: Storage): () => number {
  let fetchedBytes = 0;
  const read = storage.read.bind(storage);
  const stream = storage.stream.bind(storage);
  storage.read = (key, offset, length) => {
    fetchedBytes += length;
    return read(key, offset, length);
  };
  storage.stream = (key, range) => {
    fetchedBytes += range?.length ?? Infinity;
    return stream(key, range);
  };
  return () => fetchedBytes;
}

/** Linux reports the peak of this program alone; elsewhere it may include the parent's at the time of the fork. */
function peakResidentMiB(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS / 1024;
  return residentPeakMiB('self');
}

runProcess(async () => {
  const { context, stop } = await runWorker(loadProcessConfig());
  const fetched = countFetched(context.storage);
  process.on('message', () => {
    const use: WorkerUse = { fetchedBytes: fetched(), peakResidentMiB: peakResidentMiB() };
    process.send?.(use);
  });
  notifyParent({ ready: true, adminPort: null });
  return { stop };
});
