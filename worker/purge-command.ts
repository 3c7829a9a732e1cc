import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { loadProcessConfig } from '../shared/config/config.ts';
import { isGuid } from '../shared/package/schema/schema-parts.ts';
import { openContext } from '../shared/process/context.ts';
import { runProcess } from '../shared/process/run-process.ts';
import { purgeOneModule, purgeOrganization } from './purge.ts';
import { workerTimes } from './session-times.ts';

const USAGE = `usage: npm run purge -- --module ID --yes
       npm run purge -- --organization ID --yes

Deletes a module or an organization with everything that is stored of it, at once. It cannot be restored, and downloads of it break off.
Repeat the command where it was interrupted.`;

const { values } = parseArgs({
  options: {
    module: { type: 'string' },
    organization: { type: 'string' },
    yes: { type: 'boolean', default: false },
  },
});
const { module: moduleId, organization: organizationId, yes: isConfirmed } = values;
const id = (moduleId ?? organizationId ?? '').toLowerCase();
if (!isGuid(id) || (moduleId !== undefined && organizationId !== undefined) || !isConfirmed) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(2);
}

/** `npm run purge`: deletes a module or an organization without the time for which it is usually kept. */
runProcess(async () => {
  const config = loadProcessConfig();
  const context = await openContext('purge', config, { times: workerTimes(config) });
  const actor = { subject: 'npm run purge', traceId: randomBytes(16).toString('hex') };
  const purge = moduleId === undefined ? purgeOrganization : purgeOneModule;
  const purged = await purge(context, id, actor);
  if (purged === null) context.log.error({ id }, 'there is nothing with this ID');
  else context.log.info({ id, ...purged }, 'purged');
  process.exitCode = purged === null ? 1 : 0;
  await context.close();
  return { stop: () => Promise.resolve() };
});
