import { loadWorkerConfig } from '../shared/config/config.ts';
import { maxStopMs, notifyParent, runProcess } from '../shared/process/run-process.ts';
import { runWorker } from './run-worker.ts';

runProcess(async () => {
  const { context, metricsPort, stop } = await runWorker(loadWorkerConfig());
  context.log.info({ metricsPort }, 'worker accepts jobs');
  notifyParent({ ready: true, metricsPort });
  return { stop };
}, maxStopMs);
