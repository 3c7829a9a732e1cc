import { Type, type Static } from 'typebox';
import {
  findNotificationSettings,
  FIRST_WISHES,
  isTimeZone,
  MESSAGE_LANGUAGES,
  NOTIFICATION_TIMES,
  writeNotificationSettings,
  type NotificationSettings,
  type WrittenSettings,
} from '../../shared/db/notifications/notification-settings.ts';
import { publicPushKey } from '../../shared/db/notifications/push-key.ts';
import type { OrganizationAccess } from '../auth/access.ts';
import { farmerMember } from '../auth/endpoint-access.ts';
import type { ApiContext } from '../context.ts';
import { answerOf, json, ok, timestamp, type Presentable } from '../http/answer.ts';
import { endpoint, tagged } from '../http/endpoint.ts';
import { bodyProblem, smallJsonBody } from '../http/request/json-body.ts';
import { ProblemError } from '../http/problem.ts';
import { dateTime, inputObject, integer, namedObject, oneOf, orNull, text } from '../http/schema.ts';
import { PUSH_SUBSCRIPTION_ENDPOINTS } from './push-subscription-endpoints.ts';
import { personOf } from './person-of.ts';
import { UNSUBSCRIBE_ENDPOINTS } from './unsubscribe-endpoints.ts';

const path = '/api/v8.0/{orgId}/notificationSettings';

const { mail, push } = NOTIFICATION_TIMES;
const inMails = 'By mail: within a minute, in a digest at six in the morning, or not at all.';
const inBrowsers = 'By web push in your subscribed browsers: within a minute, or not at all.';
const ofSeverity = 'How you are notified of the alerts of a severity.';

const severity = namedObject('SeverityNotification', ofSeverity, {
  mail: oneOf(mail, inMails),
  push: oneOf(push, inBrowsers),
});
const severityInput = inputObject('WriteSeverityNotification', ofSeverity, {
  mail: Type.Enum(mail, { description: inMails }),
  push: Type.Enum(push, { description: inBrowsers }),
});

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
const quietHours = namedObject('QuietHours', 'Hours without notifications, each day.', quietHoursMembers);
const quietHoursInput = inputObject(
  'WriteQuietHours',
  'Hours without notifications, each day.',
  quietHoursMembers,
);

const languages = 'The language of the notifications.';
const noQuietHours =
  'Notifications wait until these hours have ended, and none is lost; null: there are none.';

const settings = namedObject('NotificationSettings', 'How you are notified of the alerts of the farm.', {
  info: severity,
  warning: severity,
  critical: severity,
  quietHours: orNull(quietHours, noQuietHours),
  language: oneOf(MESSAGE_LANGUAGES, languages),
  address: orNull(text('Where mails are sent to; null: the identity provider has verified no address.')),
  mail: oneOf(['available', 'off'], 'Whether this service sends mails: `off` without a mail server.'),
  bounce: orNull(
    namedObject('MailBounce', 'The refusal of an address by its mail server.', {
      smtpStatus: integer('The status of its answer, such as 550.'),
      bouncedAt: dateTime('When it was refused.'),
    }),
    'Why mails are paused until the settings are written again; null: they are not.',
  ),
  pushKey: text(
    'The public key for `applicationServerKey` of `PushManager.subscribe()` (RFC 8292), in base64url.',
  ),
});

const writeSettings = inputObject('WriteNotificationSettings', 'How you want to be notified.', {
  info: severityInput,
  warning: severityInput,
  critical: severityInput,
  quietHours: orNull(quietHoursInput, noQuietHours),
  language: Type.Enum(MESSAGE_LANGUAGES, { description: languages }),
});

const read = endpoint('get', path, {
  id: 'readNotificationSettings',
  summary: 'Read your notification settings',
  description:
    'Nobody is mailed who has not written settings, or notified in a browser that is not subscribed.',
  access: farmerMember,
  answers: { 200: json('The settings.', settings) },
  handle: async ({ api, caller }) =>
    ok(await settingsAnswer(api, caller, await findNotificationSettings(api.database, personOf(caller)))),
});

const write = endpoint('put', path, {
  id: 'writeNotificationSettings',
  summary: 'Write your notification settings',
  description:
    'Mails go to the address that the identity provider has verified: the claim `email` of the access token or, in the ' +
    'portal, of the ID token, with `email_verified`. Of an alert you are notified at most once by mail ' +
    'and once in each browser, and of several in one message. The call ends a pause after a bounce.',
  access: farmerMember,
  body: smallJsonBody('The settings.', writeSettings),
  answers: { 200: json('The settings.', settings) },
  problems: ['address-unverified'],
  async handle({ api, caller, body: { quietHours, language, ...wishes } }) {
    await requireQuietHours(api, quietHours);
    const key = personOf(caller);
    const earlier = await findNotificationSettings(api.database, key);
    const address = caller.principal.address ?? earlier?.address ?? null;
    if (address === null && Object.values(wishes).some((each) => each.mail !== 'none'))
      throw new ProblemError(
        'address-unverified',
        'The token has no claim email with email_verified, so there is no address for mails.',
      );
    const settings = { wishes, language, quietHours, address };
    const written = await writeNotificationSettings(api.database, key, settings, caller.authority);
    return ok(await settingsAnswer(api, caller, written));
  },
});

/** How people are notified of alerts, in which browsers, and how mails end. */
export const NOTIFICATION_ENDPOINTS = tagged('Alerts', [
  ...[read, write],
  ...PUSH_SUBSCRIPTION_ENDPOINTS,
  ...UNSUBSCRIBE_ENDPOINTS,
]);

const NO_SETTINGS: NotificationSettings = {
  ...{ wishes: FIRST_WISHES, language: 'en', quietHours: null },
  ...{ address: null, bounceStatus: null, bouncedAt: null },
};

async function settingsAnswer(
  { config, database, encryptionKeys }: ApiContext,
  { principal }: OrganizationAccess,
  written: NotificationSettings | null,
): Promise<Presentable<Static<typeof settings>>> {
  const row = written ?? NO_SETTINGS;
  const { bounceStatus: smtpStatus, bouncedAt, wishes, address } = row;
  return answerOf(row, {
    ...wishes,
    address: address ?? principal.address,
    mail: config.mail === null ? 'off' : 'available',
    bounce:
      smtpStatus === null || bouncedAt === null ? null : { smtpStatus, bouncedAt: timestamp(bouncedAt) },
    pushKey: await publicPushKey(database, encryptionKeys),
  } as const);
}

/** @throws ProblemError 400 */
async function requireQuietHours(
  { database }: ApiContext,
  hours: WrittenSettings['quietHours'],
): Promise<void> {
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

/** Messages have local times too. */
function isIntlTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).format() !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
