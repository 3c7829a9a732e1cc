import type { ClaimedMessage, SentAlert } from '../../shared/db/notifications/alert-messages.ts';
import type { MessageLanguage } from '../../shared/db/notifications/notification-settings.ts';

interface Texts {
  readonly severities: Readonly<Record<SentAlert['severity'], string>>;
  readonly subject: (count: number, organization: string) => string;
  readonly since: (time: string) => string;
  readonly resolved: string;
}

/** A number as the language writes it. */
export const number = (language: MessageLanguage, value: number) =>
  new Intl.NumberFormat(language).format(value);

const TEXTS: Readonly<Record<MessageLanguage, Texts>> = {
  en: {
    severities: { info: 'Info', warning: 'Warning', critical: 'Critical' },
    subject: (count, organization) => `${number('en', count)} alerts for ${organization}`,
    since: (time) => `Since ${time}`,
    resolved: 'resolved',
  },
  de: {
    severities: { info: 'Hinweis', warning: 'Warnung', critical: 'Kritisch' },
    subject: (count, organization) => `${number('de', count)} Warnungen für ${organization}`,
    since: (time) => `Seit ${time}`,
    resolved: 'behoben',
  },
};

/** An alert as it is read. */
export interface AlertText {
  readonly title: string;
  readonly message: string;
  readonly details: string;
}

/** What a message says, in the person's language. Names and texts are those of vendors and farmers. */
export function textsOf(message: ClaimedMessage): {
  readonly subject: string;
  readonly items: readonly AlertText[];
} {
  const items = message.alerts.map((alert) => textOf(alert, message));
  const [first] = items;
  const { alertCount, organizationName, language } = message;
  const subject =
    alertCount === 1 && first !== undefined
      ? first.title
      : oneLine(TEXTS[language].subject(alertCount, organizationName));
  return { subject, items };
}

function textOf(alert: SentAlert, { language, timeZone }: ClaimedMessage): AlertText {
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

/** A line break in a subject would begin another header. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}
