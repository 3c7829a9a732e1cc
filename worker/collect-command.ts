import { loadWorkerConfig } from '../shared/config/config.ts';
import { openContext } from '../shared/process/context.ts';
import { runCommand } from '../shared/process/run-command.ts';
import { collectGarbage, previewCollection } from './maintenance/collect-garbage.ts';
import { workerTimes } from './worker-context.ts';

const USAGE = `npm run collect -- [--dry-run]

One collection now, as workers do hourly. With --dry-run it only logs what it would remove.`;

runCommand(USAGE, { 'dry-run': { type: 'boolean' } }, async (values) => {
  const config = loadWorkerConfig();
  const context = await openContext('collect', config, { times: workerTimes(config) });
  if (values['dry-run'] === true)
    context.log.info(await previewCollection(context), 'dry run: garbage that a collection would remove');
  else await collectGarbage(context);
  await context.close();
  return 0;
});
