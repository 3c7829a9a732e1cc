import { makeLink } from '../../shared/db/notifications/notification-settings.ts';
import type { WorkerContext } from '../worker-context.ts';
import type { Sender } from './alert-messages.ts';
import { writeMail } from './mail-text.ts';
import { sendMail } from './send-mail.ts';

/** Sends messages by mail, if a mail server is set. */
export function mailSender({ database, config }: Pick<WorkerContext, 'database' | 'config'>): Sender {
  const { mail } = config;
  const origin = config.server.publicUrl ?? '';
  return {
    channel: 'mail',
    open: () =>
      Promise.resolve(
        mail &&
          (async (message) => {
            const { recipientId, claimId, organizationId, address } = message;
            const secret = await makeLink(database, recipientId);
            const unsubscribe = `${origin}/notifications/${secret}/unsubscribe`;
            const text = writeMail(message, {
              alerts: `${origin}/portal/${organizationId}/alerts`,
              unsubscribe,
            });
            return sendMail(mail, { ...text, to: address, id: claimId, unsubscribe });
          }),
      ),
  };
}
