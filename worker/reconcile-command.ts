import { reconcileArchives } from '../shared/db/imports/archives.ts';
import { loadProcessConfig } from '../shared/config/config.ts';
import { openContext } from '../shared/process/context.ts';
import { runProcess } from '../shared/process/run-process.ts';
import { archiveBatches } from './archive-batches.ts';

/** `npm run reconcile`: after a restore, makes database and storage agree. Exits with 1 where a revision's archive is lost. */
runProcess(async () => {
  const context = await openContext('reconcile', loadProcessConfig());
  const { missing, ...counts } = await reconcileArchives(context.database, archiveBatches(context.storage));
  for (const archiveKey of missing) context.log.error({ archiveKey }, 'the archive of a revision is lost');
  context.log.info(
    { lost: missing.length, ...counts },
    'database and storage agree, except for lost archives',
  );
  process.exitCode = missing.length === 0 ? 0 : 1;
  await context.close();
  return { stop: () => Promise.resolve() };
});
