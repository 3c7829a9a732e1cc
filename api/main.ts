import { loadProcessConfig } from '../shared/config/config.ts';
import { maxStopMs, notifyParent, runProcess } from '../shared/process/run-process.ts';
import { openApiContext } from './open-context.ts';
import { drain, serve } from './http/server/serve.ts';

runProcess(async () => {
  const api = await openApiContext(loadProcessConfig());
  const serving = await serve(api);
  const { port, adminPort, applications } = serving;
  const others = applications === null ? null : { port: applications.port, origins: applications.origins };
  api.log.info({ port, adminPort, applications: others }, 'api listens');
  notifyParent({ listening: port, applications: others });
  const { shutdownDelaySeconds, drainSeconds } = api.config.server;
  return {
    async stop() {
      await drain(serving, api, { delayMs: shutdownDelaySeconds * 1_000, finishMs: drainSeconds * 1_000 });
      await api.close();
      api.log.info('api stopped');
    },
  };
}, maxStopMs);
