import { loadProcessConfig } from '../shared/config/config.ts';
import { resealRevisions } from '../shared/db/modules/sealed-columns.ts';
import { openContext } from '../shared/process/context.ts';
import { runProcess } from '../shared/process/run-process.ts';

/** `npm run reencrypt`: after a rotation, encrypts with the first of ENCRYPTION_KEYS what another one encrypted. */
runProcess(async () => {
  const context = await openContext('reencrypt', loadProcessConfig());
  const { database, encryptionKeys, log } = context;
  const revisions = await resealRevisions(database, encryptionKeys);
  log.info({ revisions, key: encryptionKeys.currentId }, 'everything is encrypted with the first key');
  await context.close();
  return { stop: () => Promise.resolve() };
});
