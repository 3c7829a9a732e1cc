import { parseArgs } from 'node:util';
import { loadProcessConfig } from '../shared/config/config.ts';
import { openContext } from '../shared/process/context.ts';
import { runProcess } from '../shared/process/run-process.ts';
import { collectGarbage, previewCollection } from './collect-garbage.ts';
import { workerTimes } from './session-times.ts';

/** `npm run collect`: one collection now, as workers do hourly; with `--dry-run` it changes nothing. */
runProcess(async () => {
  const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });
  const config = loadProcessConfig();
  const context = await openContext('collect', config, { times: workerTimes(config) });
  if (values['dry-run'])
    context.log.info(await previewCollection(context), 'nothing was changed; a collection would do this');
  else await collectGarbage(context);
  await context.close();
  return { stop: () => Promise.resolve() };
});
