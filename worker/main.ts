import { loadWorkerConfig } from '../shared/config/config.ts';
import { maxStopMs, notifyParent, runProcess } from '../shared/process/run-process.ts';
import { runWorker } from './run-worker.ts';

runProcess(async () => {
  const { context, adminPort, stop } = await runWorker(loadWorkerConfig());
  context.log.info({ adminPort }, 'worker accepts jobs');
  notifyParent({ ready: true, adminPort });
  return { stop };
}, maxStopMs);
