import { loadProcessConfig } from '../shared/config/config.ts';
import { reseal } from '../shared/db/reseal.ts';
import { openContext } from '../shared/process/context.ts';
import { runCommand } from '../shared/process/run-command.ts';

const USAGE = `npm run reencrypt

After a rotation, encrypts with the first of ENCRYPTION_KEYS what another one encrypted, and logs how many revisions and webhooks.`;

runCommand(USAGE, {}, async () => {
  const context = await openContext('reencrypt', loadProcessConfig());
  const { database, encryptionKeys, log } = context;
  const resealed = await reseal(database, encryptionKeys);
  log.info({ ...resealed, key: encryptionKeys.currentId }, 'stored values encrypted with the first key');
  await context.close();
  return 0;
});
