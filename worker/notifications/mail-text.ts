import type { ClaimedMail, MailedAlert } from '../../shared/db/notifications/alert-mails.ts';
import type { MailLanguage } from '../../shared/db/notifications/notification-settings.ts';
import { escapeHtml } from '../../shared/package/text/escape-html.ts';

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
  readonly severities: Readonly<Record<MailedAlert['severity'], string>>;
  readonly subject: (count: number, organization: string) => string;
  readonly more: (count: number) => string;
  readonly since: (time: string) => string;
  readonly resolved: string;
  readonly show: string;
  readonly why: (organization: string) => string;
  readonly end: string;
}

const number = (language: MailLanguage, value: number) => new Intl.NumberFormat(language).format(value);

const TEXTS: Readonly<Record<MailLanguage, Texts>> = {
  en: {
    severities: { info: 'Info', warning: 'Warning', critical: 'Critical' },
    subject: (count, organization) => `${number('en', count)} alerts for ${organization}`,
    more: (count) => (count === 1 ? 'And one more alert.' : `And ${number('en', count)} more alerts.`),
    since: (time) => `Since ${time}`,
    resolved: 'resolved',
    show: 'Show the alerts',
    why: (organization) => `You get this mail because you turned on mails about alerts of ${organization}.`,
    end: 'End these mails',
  },
  de: {
    severities: { info: 'Hinweis', warning: 'Warnung', critical: 'Kritisch' },
    subject: (count, organization) => `${number('de', count)} Warnungen für ${organization}`,
    more: (count) =>
      count === 1 ? 'Und eine weitere Warnung.' : `Und ${number('de', count)} weitere Warnungen.`,
    since: (time) => `Seit ${time}`,
    resolved: 'behoben',
    show: 'Warnungen anzeigen',
    why: (organization) =>
      `Sie erhalten diese E-Mail, weil Sie E-Mails zu Warnungen von ${organization} eingeschaltet haben.`,
    end: 'Diese E-Mails abbestellen',
  },
};

/** Writes a mail in the person's language. Names and texts are those of vendors and farmers. */
export function writeMail(mail: ClaimedMail, links: MailLinks): MailText {
  const texts = TEXTS[mail.language];
  const items = mail.alerts.map((alert) => itemOf(alert, mail));
  const [first] = items;
  const hidden = mail.alertCount - items.length;
  const more = hidden === 0 ? [] : [texts.more(hidden)];
  const why = texts.why(mail.organizationName);
  const isOne = mail.alertCount === 1 && first !== undefined;
  const subject = isOne ? first.title : texts.subject(mail.alertCount, mail.organizationName);
  const blocks = items.map(({ title, message, details }) => `${title}\n${message}\n${details}`);
  const ends = [`${texts.show}: ${links.alerts}`, `${why}\n${texts.end}: ${links.unsubscribe}`];
  return {
    subject: oneLine(subject),
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

function itemOf(alert: MailedAlert, { language, timeZone }: ClaimedMail) {
  const texts = TEXTS[language];
  const format = { dateStyle: 'medium', timeStyle: 'short', timeZone: timeZone ?? 'UTC' } as const;
  const time = new Intl.DateTimeFormat(language, format).format(alert.startsAt);
  const since = texts.since(timeZone === null ? `${time} UTC` : time);
  const place = alert.targetName === null ? [] : [oneLine(alert.targetName)];
  const state = alert.status === 'resolved' ? [texts.resolved] : [];
  return {
    title: `${texts.severities[alert.severity]}: ${oneLine(alert.title)}`,
    message: alert.message,
    details: [...place, since, ...state].join(' · '),
  };
}

function htmlOf(language: MailLanguage, parts: readonly string[]): string {
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"></head>
<body style="font-family: sans-serif">
${parts.join('\n')}
</body>
</html>
`;
}

/** A line break in a subject would begin another header. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}
