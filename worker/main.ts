import { loadProcessConfig } from '../shared/config/config.ts';
import { runProcess, tellParent } from '../shared/process/run-process.ts';
import { runWorker } from './run-worker.ts';

runProcess(async () => {
  const { context, metricsPort, stop } = await runWorker(loadProcessConfig());
  context.log.info({ metricsPort }, 'worker takes jobs');
  tellParent({ ready: true, metricsPort });
  return { stop };
});
