import { loadProcessConfig } from '../shared/config.ts';
import { runProcess, tellParent } from '../shared/run-process.ts';
import { openApiContext } from './open-api-context.ts';
import { drain, serve } from './serve.ts';

const DRAIN_MS = 10_000;

runProcess(async () => {
  const { api, stopping } = await openApiContext(loadProcessConfig());
  const { server, port } = await serve(api);
  api.log.info({ port }, 'api listens');
  tellParent({ listening: port });
  return {
    async stop() {
      stopping();
      await drain(server, DRAIN_MS);
      await api.close();
      api.log.info('api stopped');
    },
  };
});
