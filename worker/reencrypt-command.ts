import { loadProcessConfig } from '../shared/config/config.ts';
import { resealRevisions } from '../shared/db/modules/sealed-columns.ts';
import { resealWebhooks } from '../shared/db/webhooks/sealed-keys.ts';
import { openContext } from '../shared/process/context.ts';
import { runCommand } from '../shared/process/run-command.ts';

const USAGE = `npm run reencrypt

After a rotation, encrypts with the first of ENCRYPTION_KEYS what another one encrypted, and logs how many revisions and webhooks.`;

runCommand(USAGE, {}, async () => {
  const context = await openContext('reencrypt', loadProcessConfig());
  const { database, encryptionKeys, log } = context;
  const revisions = await resealRevisions(database, encryptionKeys);
  const webhooks = await resealWebhooks(database, encryptionKeys);
  log.info(
    { revisions, webhooks, key: encryptionKeys.currentId },
    'everything is encrypted with the first key',
  );
  await context.close();
  return 0;
});
