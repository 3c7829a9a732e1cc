import { loadProcessConfig } from '../shared/config.ts';
import { runProcess, tellParent } from '../shared/run-process.ts';
import { runWorker } from './run-worker.ts';

runProcess(async () => {
  const { context, metricsPort, stop } = await runWorker(loadProcessConfig());
  context.log.info({ metricsPort }, 'worker takes jobs');
  tellParent({ ready: true, metricsPort });
  return { stop };
});
