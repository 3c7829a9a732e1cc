import { Type, type Static } from 'typebox';
import {
  findNotificationSettings,
  isTimeZone,
  MAIL_LANGUAGES,
  MAIL_TIMES,
  writeNotificationSettings,
  type MailWishes,
  type NotificationSettings,
} from '../../shared/db/notifications/notification-settings.ts';
import type { MemberKey } from '../../shared/db/access/members.ts';
import type { OrganizationAccess } from '../auth/access.ts';
import { farmerMember } from '../auth/endpoint-access.ts';
import type { ApiContext } from '../context.ts';
import { answerOf, json, ok, timestamp, type Presentable } from '../http/answer.ts';
import { endpoint, tagged } from '../http/endpoint.ts';
import { bodyProblem, smallJsonBody } from '../http/request/json-body.ts';
import { ProblemError } from '../http/problem.ts';
import { dateTime, inputObject, integer, namedObject, oneOf, orNull, text } from '../http/schema.ts';
import { UNSUBSCRIBE_ENDPOINTS } from './unsubscribe-endpoints.ts';

const path = '/api/v8.0/{orgId}/notificationSettings';

const severity = namedObject('SeverityNotification', 'How you are notified of the alerts of a severity.', {
  mail: oneOf(MAIL_TIMES, 'Within a minute, in a digest at six in the morning, or not at all.'),
});
const severityInput = inputObject(
  'WriteSeverityNotification',
  'How you are notified of the alerts of a severity.',
  { mail: Type.Enum(MAIL_TIMES, { description: 'At once, in a digest at six in the morning, or not.' }) },
);

const CLOCK = { pattern: '^(?:[01][0-9]|2[0-3]):[0-5][0-9]$' };
const quietHoursMembers = {
  from: Type.String({ ...CLOCK, description: 'The local time at which they begin, such as `22:00`.' }),
  to: Type.String({ ...CLOCK, description: 'The local time at which they end, such as `06:00`.' }),
  timeZone: Type.String({
    maxLength: 60,
    // PostgreSQL and JavaScript read an offset with opposite signs.
    pattern: '^(?:UTC|[A-Za-z]+/[A-Za-z0-9_/+-]+)$',
    description: 'The IANA time zone, such as `Europe/Berlin`.',
  }),
};
const quietHours = namedObject('QuietHours', 'Hours without mails, each day.', quietHoursMembers);
const quietHoursInput = inputObject('WriteQuietHours', 'Hours without mails, each day.', quietHoursMembers);

const languages = 'The language of the mails.';
const noQuietHours = 'Mails wait until these hours have ended, and none is lost; null: there are none.';

const settings = namedObject('NotificationSettings', 'How you are notified of the alerts of the farm.', {
  info: severity,
  warning: severity,
  critical: severity,
  quietHours: orNull(quietHours, noQuietHours),
  language: oneOf(MAIL_LANGUAGES, languages),
  address: orNull(text('Where mails are sent to; null: the identity provider has verified no address.')),
  mail: oneOf(['available', 'off'], 'Whether this service sends mails: `off` without a mail server.'),
  bounce: orNull(
    namedObject('MailBounce', 'The refusal of an address by its mail server.', {
      smtpStatus: integer('The status of its answer, such as 550.'),
      bouncedAt: dateTime('When it was refused.'),
    }),
    'Why mails are paused until the settings are written again; null: they are not.',
  ),
});

const writeSettings = inputObject('WriteNotificationSettings', 'How you want to be notified.', {
  info: severityInput,
  warning: severityInput,
  critical: severityInput,
  quietHours: orNull(quietHoursInput, noQuietHours),
  language: Type.Enum(MAIL_LANGUAGES, { description: languages }),
});

const read = endpoint('get', path, {
  id: 'readNotificationSettings',
  summary: 'Read your notification settings',
  description: 'Nobody is notified who has not written settings.',
  access: farmerMember,
  answers: { 200: json('The settings.', settings) },
  handle: async ({ api, caller }) =>
    ok(settingsAnswer(api, caller, await findNotificationSettings(api.database, personOf(caller)))),
});

const write = endpoint('put', path, {
  id: 'writeNotificationSettings',
  summary: 'Write your notification settings',
  description:
    'Mails go to the address that the identity provider has verified: the claim `email` of the access token or, in the ' +
    'portal, of the ID token, with `email_verified`. An alert is mailed at most once, and several are one mail. The call ' +
    'ends a pause after a bounce.',
  access: farmerMember,
  body: smallJsonBody('The settings.', writeSettings),
  answers: { 200: json('The settings.', settings) },
  problems: ['address-unverified'],
  async handle({ api, caller, body: { info, warning, critical, ...others } }) {
    await requireQuietHours(api, others.quietHours);
    const mails = { infoMail: info.mail, warningMail: warning.mail, criticalMail: critical.mail };
    const key = personOf(caller);
    const earlier = await findNotificationSettings(api.database, key);
    const address = caller.principal.address ?? earlier?.address;
    if (address === undefined)
      throw new ProblemError(
        'address-unverified',
        'The token has no claim email with email_verified, so there is no address for mails.',
      );
    const wishes = { ...others, ...mails, address };
    const written = await writeNotificationSettings(api.database, key, wishes, caller.authority);
    return ok(settingsAnswer(api, caller, written));
  },
});

/** How people are notified of alerts, and how mails end. */
export const NOTIFICATION_ENDPOINTS = tagged('Alerts', [read, write, ...UNSUBSCRIBE_ENDPOINTS]);

function personOf({ principal: { issuer, subject }, organization }: OrganizationAccess): MemberKey {
  return { organizationId: organization.id, issuer, subject };
}

const NO_SETTINGS: Omit<NotificationSettings, 'address'> = {
  ...{ infoMail: 'none', warningMail: 'none', criticalMail: 'none', language: 'en' },
  ...{ quietHours: null, bounceStatus: null, bouncedAt: null },
};

function settingsAnswer(
  { config }: ApiContext,
  { principal: { address } }: OrganizationAccess,
  written: NotificationSettings | null,
): Presentable<Static<typeof settings>> {
  const row = written ?? { ...NO_SETTINGS, address };
  const { bounceStatus: smtpStatus, bouncedAt } = row;
  return answerOf(row, {
    info: { mail: row.infoMail },
    warning: { mail: row.warningMail },
    critical: { mail: row.criticalMail },
    mail: config.mail === null ? 'off' : 'available',
    bounce:
      smtpStatus === null || bouncedAt === null ? null : { smtpStatus, bouncedAt: timestamp(bouncedAt) },
  } as const);
}

/** @throws ProblemError 400 */
async function requireQuietHours({ database }: ApiContext, hours: MailWishes['quietHours']): Promise<void> {
  if (hours === null) return;
  if (hours.from === hours.to)
    throw bodyProblem([{ pointer: '/quietHours/to', detail: 'Quiet hours cannot end when they begin.' }]);
  if (!isIntlTimeZone(hours.timeZone) || !(await isTimeZone(database, hours.timeZone)))
    throw bodyProblem([
      {
        pointer: '/quietHours/timeZone',
        detail: 'There is no time zone of this name, such as Europe/Berlin.',
      },
    ]);
}

/** Mails have local times too. */
function isIntlTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).format() !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
