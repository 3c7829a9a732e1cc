import { adoptDeployments } from '../shared/db/deployments.ts';
import { reconcileArchives } from '../shared/db/imports/archives.ts';
import { loadProcessConfig } from '../shared/config/config.ts';
import { openContext } from '../shared/process/context.ts';
import { runProcess } from '../shared/process/run-process.ts';
import { archiveBatches } from './archive-batches.ts';
import { workerTimes } from './session-times.ts';

/** `npm run reconcile`: after a restore, makes database and storage agree. Exits with 1 where a revision's archive is lost. */
runProcess(async () => {
  const config = loadProcessConfig();
  // Its one statement compares everything that is stored.
  const times = { ...workerTimes(config), statementMs: 0 };
  const context = await openContext('reconcile', config, { times });
  const { database, storage } = context;
  const deploymentIds = await adoptDeployments(database);
  const { missing, ...counts } = await reconcileArchives(database, archiveBatches(storage, deploymentIds));
  for (const archiveKey of missing) context.log.error({ archiveKey }, 'the archive of a revision is lost');
  context.log.info(
    { lost: missing.length, ...counts },
    'database and storage agree, except for lost archives',
  );
  process.exitCode = missing.length === 0 ? 0 : 1;
  await context.close();
  return { stop: () => Promise.resolve() };
});
