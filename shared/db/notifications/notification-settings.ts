import { requireAuthority, type Authority } from '../access/authority.ts';
import { hashOfSecret, newSecret } from '../access/secrets.ts';
import type { MemberKey } from '../access/members.ts';
import type { AlertModel } from '../alerts/models.ts';
import { codeOf } from '../../process/error-code.ts';
import type { Database } from '../database.ts';
import { onlyRow, queryRow } from '../statement.ts';

/** When a person is notified of the alerts of a severity by a channel. */
export const NOTIFICATION_TIMES = {
  mail: ['immediate', 'digest', 'none'],
  push: ['immediate', 'none'],
} as const;

/** How a person is notified: by mail, or by web push in their browsers. */
export type Channel = keyof typeof NOTIFICATION_TIMES;

/** When a person is notified, by severity and channel. */
export type Wishes = Readonly<
  Record<AlertModel['severity'], { readonly [Each in Channel]: (typeof NOTIFICATION_TIMES)[Each][number] }>
>;

/** Of a person who has written no settings: what a browser shows that they subscribe. */
export const FIRST_WISHES: Wishes = {
  info: { mail: 'none', push: 'none' },
  warning: { mail: 'none', push: 'immediate' },
  critical: { mail: 'none', push: 'immediate' },
};

/** The languages of messages. */
export const MESSAGE_LANGUAGES = ['en', 'de'] as const;
export type MessageLanguage = (typeof MESSAGE_LANGUAGES)[number];

/** Local times, such as 22:00, between which a person gets no message. */
export interface QuietHours {
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
}

/** What a person may change. */
export interface WrittenSettings {
  readonly wishes: Wishes;
  readonly language: MessageLanguage;
  readonly quietHours: QuietHours | null;
}

/** The settings of a person in an organization. */
export interface NotificationSettings extends WrittenSettings {
  /** Of mails; null: none is known. */
  readonly address: string | null;
  /** The answer of the mail server that refused the address for good; null: mails are not paused. */
  readonly bounceStatus: number | null;
  readonly bouncedAt: Date | null;
}

/** The SQL of whether settings `s` are those of a person. */
export const OF_PERSON =
  's.organization_id = :organizationId and s.issuer = :issuer and s.subject = :subject';

/** `22:00` of the time zone; the columns of the quiet hours are one object. */
const READ = `
  select s.wishes, s.language, r.address, r.bounce_status, r.bounced_at, case when s.time_zone is not null
    then jsonb_build_object('from', s.quiet_from, 'to', s.quiet_to, 'timeZone', s.time_zone) end as quiet_hours
  from notification_settings s left join notification_recipients r on r.settings_id = s.id and r.channel = 'mail'
  where ${OF_PERSON}`;

/** A person's settings; null: they have written none. */
export async function findNotificationSettings(
  database: Database,
  person: MemberKey,
): Promise<NotificationSettings | null> {
  return queryRow<NotificationSettings>(database, READ, { ...person });
}

/** The SQL of whether a recipient `r` is to get something at this time. */
const isWished = (time: string) =>
  `exists (select from jsonb_each(:wishes::jsonb) as w (severity, wish) where wish ->> r.channel = '${time}')`;

/** The SQL that sets a column's time to now for each severity of a recipient `r` that was not wanted before. */
function restarted(column: string): string {
  return `${column} = (select jsonb_object_agg(severity, case
      when wish ->> r.channel <> 'none' and s.wishes -> severity ->> r.channel = 'none' then to_jsonb(now())
      else r.${column} -> severity end) from jsonb_each(:wishes::jsonb) as w (severity, wish))`;
}

/*
 * The alerts before a severity was wanted are not sent; those that wait for a digest are kept for any later message. What
 * was held back or failed is tried anew: the next message finds out whether anything is due.
 */
const RESTART = `
  update notification_recipients r set ${restarted('positions')}, ${restarted('starts')},
    immediate_due_at = case when ${isWished('immediate')} then now() end,
    digest_due_at = case when ${isWished('digest')} then next_digest(now(), coalesce(:timeZone, 'UTC')) end,
    held_until = null, failed_attempts = 0, bounce_status = null, bounced_at = null
  from notification_settings s where s.id = :settingsId and r.settings_id = s.id`;

/** The call of a person who is new is noted soon; the settings need it now. */
const NOTE = `
  with person as (
    insert into people (organization_id, issuer, subject, roles) values (:organizationId, :issuer, :subject, '{}')
    on conflict do nothing
  )
  insert into notification_settings
    (organization_id, issuer, subject, language, wishes, quiet_from, quiet_to, time_zone, authority)
  select :organizationId::uuid, :issuer, :subject, :language, :wishes::jsonb, :from, :to, :timeZone, :authority::jsonb
  where ${requireAuthority(':authority::jsonb')}
  on conflict (organization_id, issuer, subject) do update
    set authority = excluded.authority, updated_at = now()
  returning id`;

const WRITE = `
  update notification_settings set language = :language, wishes = :wishes::jsonb, quiet_from = :from, quiet_to = :to,
    time_zone = :timeZone
  where id = :settingsId`;

const columnsOf = (person: MemberKey, { quietHours, language, wishes }: WrittenSettings) => {
  const { from = null, to = null, timeZone = null } = quietHours ?? {};
  return { ...person, language, wishes: { ...wishes }, from, to, timeZone };
};

/** Notes a person who wants messages with these settings, unless they have others, and locks these; returns their ID. */
export async function noteRecipient(
  transaction: Database,
  person: MemberKey,
  settings: WrittenSettings,
  authority: Authority,
): Promise<string> {
  const values = { ...columnsOf(person, settings), authority };
  return (await onlyRow<{ id: string }>(transaction, NOTE, values)).id;
}

/** The SQL of the positions and the starts of a new recipient: it gets the alerts that are raised from now on. */
export const firstPositions = (channel: Channel) => `
  (select jsonb_object_agg(severity, case wish ->> '${channel}' when 'none' then '-infinity' else now() end)
  from notification_settings s, jsonb_each(s.wishes) as w (severity, wish) where s.id = :settingsId)`;

const WRITE_ADDRESS = `
  insert into notification_recipients (settings_id, channel, address, positions, starts)
  values (:settingsId, 'mail', :address, ${firstPositions('mail')}, ${firstPositions('mail')})
  on conflict (settings_id) where channel = 'mail' do update set address = excluded.address`;

/** Writes a person's settings, and ends the pause after a bounce. Without an address the known one stays. */
export async function writeNotificationSettings(
  database: Database,
  person: MemberKey,
  { address, ...settings }: WrittenSettings & Pick<NotificationSettings, 'address'>,
  authority: Authority,
): Promise<NotificationSettings> {
  return database.transaction(async (transaction) => {
    // Locks the settings first: a recipient that another call adds at the same time starts anew too.
    const settingsId = await noteRecipient(transaction, person, settings, authority);
    const values = { ...columnsOf(person, settings), settingsId };
    await transaction.raw(RESTART, values);
    await transaction.raw(WRITE, values);
    if (address !== null) await transaction.raw(WRITE_ADDRESS, { settingsId, address });
    return onlyRow<NotificationSettings>(transaction, READ, { ...person });
  });
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

const OF_LINK = `
  s.id = (select settings_id from notification_recipients
    where id = (select recipient_id from notification_links where secret_sha256 = :hash))`;

/** Makes a link that ends mails to a recipient; returns its secret. */
export async function makeLink(database: Database, recipientId: string): Promise<string> {
  const secret = newSecret();
  await database.raw(
    `insert into notification_links (secret_sha256, recipient_id)
     select :hash, id from notification_recipients where id = :recipientId`,
    { hash: hashOfSecret(secret), recipientId },
  );
  return secret;
}

/** The language of the person whose mails a link ends; null: there is no such link. */
export async function languageOfLink(database: Database, secret: string): Promise<MessageLanguage | null> {
  const statement = `select language from notification_settings s where ${OF_LINK}`;
  const found = await queryRow<{ language: MessageLanguage }>(database, statement, {
    hash: hashOfSecret(secret),
  });
  return found?.language ?? null;
}

const END = `
  with ended as (
    update notification_settings s set updated_at = now(),
      wishes = (select jsonb_object_agg(severity, wish || '{"mail": "none"}') from jsonb_each(wishes) as w (severity, wish))
    where ${OF_LINK} returning id, language
  ), idle as (
    update notification_recipients r set immediate_due_at = null, digest_due_at = null
    from ended where r.settings_id = ended.id and r.channel = 'mail'
  )
  select language from ended`;

/** Ends a person's mails by the link of one of them; null: there is no such link. */
export async function endMails(database: Database, secret: string): Promise<MessageLanguage | null> {
  const ended = await queryRow<{ language: MessageLanguage }>(database, END, { hash: hashOfSecret(secret) });
  return ended?.language ?? null;
}
