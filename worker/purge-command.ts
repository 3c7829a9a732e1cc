import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { loadWorkerConfig } from '../shared/config/config.ts';
import { programActor } from '../shared/db/access/audit-log.ts';
import { LOCK_TRY_MS } from '../shared/db/connection-sharing.ts';
import { openContext } from '../shared/process/context.ts';
import { runCommand } from '../shared/process/run-command.ts';
import { purgeOneModule, purgeOrganization, purgeTarget } from './maintenance/purge.ts';
import { workerTimes } from './worker-context.ts';

const USAGE = `npm run purge -- --module ID --yes
       npm run purge -- --organization ID --yes

Deletes a module or an organization with everything that is stored of it, at once. It cannot be restored, and downloads of it break off.
Repeat the command where it was interrupted.`;

const OPTIONS = {
  module: { type: 'string' },
  organization: { type: 'string' },
  yes: { type: 'boolean' },
} as const;

/** `npm run purge`: deletes a module or an organization without the time for which it is usually kept. */
runCommand(USAGE, OPTIONS, async (values) => {
  const target = purgeTarget(values);
  if (target === null) {
    process.stderr.write(`usage: ${USAGE}\n`);
    return 2;
  }
  const { kind, id } = target;
  const config = loadWorkerConfig();
  const { lockMs, statementMs } = workerTimes(config);
  const context = await openContext('purge', config, {
    // It locks what others need, and does not keep it from them while it waits for more.
    sharing: { maxWaitMs: lockMs, maxLockMs: lockMs },
    times: { lockMs: LOCK_TRY_MS, statementMs },
  });
  const actor = programActor('npm run purge', randomBytes(16).toString('hex'));
  const purge = kind === 'organization' ? purgeOrganization : purgeOneModule;
  const purged = await purge(context, id, actor);
  if (purged === null) context.log.error({ id }, 'no such module or organization');
  else context.log.info({ id, ...purged }, 'purge finished');
  await context.close();
  return purged === null ? 1 : 0;
});
