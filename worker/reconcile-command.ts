import { adoptDeployments } from '../shared/db/deployments.ts';
import { reconcileArchives } from '../shared/db/imports/archives.ts';
import { loadWorkerConfig } from '../shared/config/config.ts';
import { openContext } from '../shared/process/context.ts';
import { runCommand } from '../shared/process/run-command.ts';
import { archiveBatches } from './maintenance/collect-garbage.ts';
import { workerTimes } from './worker-context.ts';

const USAGE = `npm run reconcile

After a restore, makes database and storage agree, and logs what was lost, forgotten and left over.
Exit code: 1 where the archive of a revision is lost.`;

const ADVICE =
  'Copy the object with this key from another backup of the bucket, and run this again. Without a copy, let the vendor delete the revision, or the module if it has no other; a deleted module needs nothing. Of a current revision, the vendor first imports the module with a change, or releases another revision.';

runCommand(USAGE, {}, async () => {
  const config = loadWorkerConfig();
  // Its one statement compares everything that is stored.
  const times = { ...workerTimes(config), statementMs: 0 };
  const context = await openContext('reconcile', config, { times });
  const { database, storage } = context;
  const deploymentIds = await adoptDeployments(database);
  const { missing, ...counts } = await reconcileArchives(database, archiveBatches(storage, deploymentIds));
  for (const lost of missing) context.log.error({ ...lost, advice: ADVICE }, 'revision archive lost');
  context.log.info({ lost: missing.length, ...counts }, 'database and storage reconciled');
  await context.close();
  return missing.length === 0 ? 0 : 1;
});
