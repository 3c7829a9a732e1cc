import { requireAuthority, type Authority } from '../access/authority.ts';
import { hashOfSecret } from '../access/secrets.ts';
import type { MemberKey } from '../access/members.ts';
import { codeOf } from '../../process/error-code.ts';
import type { Database } from '../database.ts';
import { queryRow } from '../statement.ts';

/** When a person is mailed the alerts of a severity. */
export const MAIL_TIMES = ['immediate', 'digest', 'none'] as const;
export type MailTime = (typeof MAIL_TIMES)[number];

/** The languages of mails. */
export const MAIL_LANGUAGES = ['en', 'de'] as const;
export type MailLanguage = (typeof MAIL_LANGUAGES)[number];

/** Local times, such as 22:00, between which a person gets no mail. */
export interface QuietHours {
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
}

/** What a person wants to be mailed. */
export interface MailWishes {
  readonly infoMail: MailTime;
  readonly warningMail: MailTime;
  readonly criticalMail: MailTime;
  readonly language: MailLanguage;
  readonly quietHours: QuietHours | null;
}

/** The settings of a person in an organization. */
export interface NotificationSettings extends MailWishes {
  readonly address: string;
  /** The answer of the mail server that refused the address for good; null: mails are not paused. */
  readonly bounceStatus: number | null;
  readonly bouncedAt: Date | null;
}

/** `22:00` of the time zone; the columns of the quiet hours are one object. */
const COLUMNS = `address, language, info_mail, warning_mail, critical_mail, bounce_status, bounced_at,
  case when time_zone is not null
    then jsonb_build_object('from', quiet_from, 'to', quiet_to, 'timeZone', time_zone) end as quiet_hours`;

const READ = `select ${COLUMNS} from notification_settings
  where organization_id = :organizationId and issuer = :issuer and subject = :subject`;

/** A person's settings; null: they have written none. */
export async function findNotificationSettings(
  database: Database,
  { organizationId, issuer, subject }: MemberKey,
): Promise<NotificationSettings | null> {
  return queryRow<NotificationSettings>(database, READ, { organizationId, issuer, subject });
}

/** The alerts before a severity was wanted are not mailed; those that wait for a digest are kept for any later mail. */
const positionOf = (severity: string) =>
  `${severity}_after = case when known.${severity}_mail = 'none' and excluded.${severity}_mail <> 'none'
      then now() else known.${severity}_after end`;

/*
 * The call of a person who is new is noted soon; the settings need it now. What was held back or failed is tried anew: the
 * next mail finds out whether anything is due.
 */
const WRITE = `
  with person as (
    insert into people (organization_id, issuer, subject, roles) values (:organizationId, :issuer, :subject, '{}')
    on conflict do nothing
  )
  insert into notification_settings as known (organization_id, issuer, subject, address, language, info_mail,
    warning_mail, critical_mail, quiet_from, quiet_to, time_zone, authority, info_after, warning_after, critical_after)
  select :organizationId::uuid, :issuer, :subject, :address, :language, :infoMail, :warningMail, :criticalMail,
    :from, :to, :timeZone, :authority::jsonb,
    case when :infoMail = 'none' then '-infinity' else now() end,
    case when :warningMail = 'none' then '-infinity' else now() end,
    case when :criticalMail = 'none' then '-infinity' else now() end
  where ${requireAuthority(':authority::jsonb')}
  on conflict (organization_id, issuer, subject) do update set
    address = excluded.address, language = excluded.language, info_mail = excluded.info_mail,
    warning_mail = excluded.warning_mail, critical_mail = excluded.critical_mail, quiet_from = excluded.quiet_from,
    quiet_to = excluded.quiet_to, time_zone = excluded.time_zone, authority = excluded.authority,
    ${['info', 'warning', 'critical'].map(positionOf).join(', ')},
    immediate_due_at = case when 'immediate' in (excluded.info_mail, excluded.warning_mail, excluded.critical_mail)
      then now() end,
    digest_due_at = case when 'digest' in (excluded.info_mail, excluded.warning_mail, excluded.critical_mail)
      then next_digest(now(), coalesce(excluded.time_zone, 'UTC')) end,
    held_until = null, failed_attempts = 0, bounce_status = null, bounced_at = null, updated_at = now()
  returning ${COLUMNS}`;

/** Writes a person's settings, and ends the pause after a bounce. */
export async function writeNotificationSettings(
  database: Database,
  { organizationId, issuer, subject }: MemberKey,
  { quietHours, ...wishes }: MailWishes & Pick<NotificationSettings, 'address'>,
  authority: Authority,
): Promise<NotificationSettings> {
  const { from = null, to = null, timeZone = null } = quietHours ?? {};
  const values = { organizationId, issuer, subject, ...wishes, from, to, timeZone, authority };
  const written = await queryRow<NotificationSettings>(database, WRITE, values);
  if (written === null) throw new Error('notification settings were written but not returned');
  return written;
}

/** The SQLSTATE of a time zone that PostgreSQL does not know. */
const INVALID_VALUE = '22023';

/** Whether the database knows a time zone: it computes in it. */
export async function isTimeZone(database: Database, name: string): Promise<boolean> {
  try {
    await database.raw('select now() at time zone :name', { name });
    return true;
  } catch (error) {
    if (codeOf(error) === INVALID_VALUE) return false;
    throw error;
  }
}

const OF_LINK = 'id = (select settings_id from notification_links where secret_sha256 = :hash)';

/** The language of the person whose mails a link ends; null: there is no such link. */
export async function languageOfLink(database: Database, secret: string): Promise<MailLanguage | null> {
  const statement = `select language from notification_settings where ${OF_LINK}`;
  const found = await queryRow<{ language: MailLanguage }>(database, statement, {
    hash: hashOfSecret(secret),
  });
  return found?.language ?? null;
}

const END = `
  update notification_settings set info_mail = 'none', warning_mail = 'none', critical_mail = 'none',
    immediate_due_at = null, digest_due_at = null, updated_at = now()
  where ${OF_LINK} returning language`;

/** Ends a person's mails by the link of one of them; null: there is no such link. */
export async function endMails(database: Database, secret: string): Promise<MailLanguage | null> {
  const ended = await queryRow<{ language: MailLanguage }>(database, END, { hash: hashOfSecret(secret) });
  return ended?.language ?? null;
}
