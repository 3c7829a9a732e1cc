import type { ClaimedMessage } from '../../shared/db/notifications/alert-messages.ts';
import type { MessageLanguage } from '../../shared/db/notifications/notification-settings.ts';
import { escapeHtml } from '../../shared/package/text/html.ts';
import { number, textsOf } from './message-text.ts';

/** A mail as it is read. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The pages that a mail leads to. */
export interface MailLinks {
  readonly alerts: string;
  readonly unsubscribe: string;
}

interface Texts {
  readonly more: (count: number) => string;
  readonly show: string;
  readonly why: (organization: string) => string;
  readonly end: string;
}

const TEXTS: Readonly<Record<MessageLanguage, Texts>> = {
  en: {
    more: (count) => (count === 1 ? 'And one more alert.' : `And ${number('en', count)} more alerts.`),
    show: 'Show the alerts',
    why: (organization) => `You get this mail because you turned on mails about alerts of ${organization}.`,
    end: 'End these mails',
  },
  de: {
    more: (count) =>
      count === 1 ? 'Und eine weitere Warnung.' : `Und ${number('de', count)} weitere Warnungen.`,
    show: 'Warnungen anzeigen',
    why: (organization) =>
      `Sie erhalten diese E-Mail, weil Sie E-Mails zu Warnungen von ${organization} eingeschaltet haben.`,
    end: 'Diese E-Mails abbestellen',
  },
};

/** Writes a mail in the person's language. */
export function writeMail(mail: ClaimedMessage, links: MailLinks): MailText {
  const texts = TEXTS[mail.language];
  const { subject, items } = textsOf(mail);
  const hidden = mail.alertCount - items.length;
  const more = hidden === 0 ? [] : [texts.more(hidden)];
  const why = texts.why(mail.organizationName);
  const blocks = items.map(({ title, message, details }) => `${title}\n${message}\n${details}`);
  const ends = [`${texts.show}: ${links.alerts}`, `${why}\n${texts.end}: ${links.unsubscribe}`];
  return {
    subject,
    text: `${[...blocks, ...more, ...ends].join('\n\n')}\n`,
    html: htmlOf(mail.language, [
      ...items.map(
        ({ title, message, details }) =>
          `<p><strong>${escapeHtml(title)}</strong><br>${escapeHtml(message)}<br><small>${escapeHtml(details)}</small></p>`,
      ),
      ...more.map((each) => `<p>${escapeHtml(each)}</p>`),
      `<p><a href="${escapeHtml(links.alerts)}">${texts.show}</a></p>`,
      `<p><small>${escapeHtml(why)} <a href="${escapeHtml(links.unsubscribe)}">${texts.end}</a></small></p>`,
    ]),
  };
}

function htmlOf(language: MessageLanguage, parts: readonly string[]): string {
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"></head>
<body style="font-family: sans-serif">
${parts.join('\n')}
</body>
</html>
`;
}
