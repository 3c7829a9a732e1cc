import { loadWorkerConfig } from '../shared/config/config.ts';
import { reseal } from '../shared/db/reseal.ts';
import { openContext } from '../shared/process/context.ts';
import { runCommand } from '../shared/process/run-command.ts';

const USAGE = `npm run reencrypt

After a rotation, encrypts with the first of ENCRYPTION_KEYS what another one encrypted, and logs how many revisions and webhooks.
Ends with 1 and a list of what none of them decrypts; the rest is encrypted nevertheless.`;

runCommand(USAGE, {}, async () => {
  const context = await openContext('reencrypt', loadWorkerConfig());
  const { database, encryptionKeys, log } = context;
  const { unreadable, ...resealed } = await reseal(database, encryptionKeys);
  log.info({ ...resealed, key: encryptionKeys.currentId }, 'stored values encrypted with the first key');
  if (unreadable.length > 0)
    log.error(
      { unreadable },
      'stored values that no key of ENCRYPTION_KEYS decrypts: keep the old keys, or add the lost one',
    );
  await context.close();
  return unreadable.length === 0 ? 0 : 1;
});
