import { lostBy, type Authority } from '../access/authority.ts';
import { hashOfSecret, newSecret } from '../access/secrets.ts';
import type { AlertModel } from '../alerts/models.ts';
import type { Database } from '../database.ts';
import { isQuarantined } from '../modules/quarantine-state.ts';
import { onlyRow, queryRow, queryRows } from '../statement.ts';
import type { MailLanguage } from './notification-settings.ts';

/** Alerts that are raised shortly after each other are one mail. */
const COLLECT_SECONDS = 30;
const SECONDS_BETWEEN_MAILS = 300;
/** Older alerts are not mailed, whatever has held the mail back. */
const MAILED_DAYS = 7;
/** A mail lists no more alerts; of the others it has the number. */
const LISTED = 50;
/** Longer than a send takes at most: while it runs, no other mail of the person is claimed. */
export const CLAIM_SECONDS = 600;

/*
 * A transaction that is still running may commit alerts with the time of its start: positions stay before it. One that has
 * written nothing for three minutes raises no alerts. A second is ample for a transaction that has just started to be
 * seen here, and times are rounded to milliseconds.
 */
const SPAN = `
  select greatest(position, now() - ${MAILED_DAYS} * interval '1 day')::text as "after", greatest(position, least(now() - interval '1 second', (
      select min(xact_start) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and xact_start > now() - interval '3 minutes')
    ) - interval '1 millisecond')::text as until
  from notification_position for update`;

/** Each severity that an alert has had, with the time of its first report. */
const SEVERITIES = `jsonb_each_text(coalesce(a.severities, jsonb_build_object(a.severity, a.created_at)))
  as had (severity, at)`;

const GATHER = `
  with fresh as (
    select a.organization_id, had.severity, min(had.at::timestamptz) as at
    from alerts a cross join lateral ${SEVERITIES}
    where (a.created_at > :after::timestamptz and a.created_at <= :until::timestamptz
        or a.severity_at > :after::timestamptz and a.severity_at <= :until::timestamptz)
      and had.at::timestamptz > :after::timestamptz and had.at::timestamptz <= :until::timestamptz
    group by 1, 2
  ), wanted as (
    select s.id, min(f.at) filter (where mail = 'immediate') as immediate_at, bool_or(mail = 'digest') as is_digest
    from fresh f join notification_settings s using (organization_id)
      cross join lateral (select case f.severity
        when 'info' then s.info_mail when 'warning' then s.warning_mail else s.critical_mail end as mail) as mails
    where mail <> 'none'
    group by s.id
  ), moved as (
    update notification_position set position = :until::timestamptz
  )
  update notification_settings s set
    immediate_due_at = least(s.immediate_due_at, case when w.immediate_at is not null then greatest(
      w.immediate_at + ${COLLECT_SECONDS} * interval '1 second',
      s.mailed_at + ${SECONDS_BETWEEN_MAILS} * interval '1 second') end),
    digest_due_at = least(s.digest_due_at,
      case when w.is_digest then next_digest(now(), coalesce(s.time_zone, 'UTC')) end)
  from wanted w where s.id = w.id`;

/**
 * Finds the people that are to be mailed alerts that were raised since the last time. Two statements: the second sees
 * what had been committed when the first looked for transactions that run.
 */
export async function gatherAlerts(database: Database): Promise<void> {
  await database.transaction(async (transaction) => {
    const span = await onlyRow<{ after: string; until: string }>(transaction, SPAN);
    if (span.after !== span.until) await transaction.raw(GATHER, { ...span });
  });
}

/** An alert in a mail. */
export interface MailedAlert extends Readonly<
  Pick<AlertModel, 'id' | 'severity' | 'status' | 'title' | 'message' | 'startsAt'>
> {
  /** Of the structure; null: it has none, or is gone. */
  readonly targetName: string | null;
}

/** A mail that one worker is to send. */
export interface ClaimedMail {
  readonly settingsId: string;
  readonly claimId: string;
  readonly address: string;
  readonly language: MailLanguage;
  readonly timeZone: string | null;
  readonly organizationId: string;
  readonly organizationName: string;
  /** The first of them, the most severe first. */
  readonly alerts: readonly MailedAlert[];
  readonly alertCount: number;
  /** Of the link that ends the person's mails. */
  readonly linkSecret: string;
  /** The severities whose alerts it has, and what to take back if it is not sent. */
  readonly severities: readonly AlertModel['severity'][];
  readonly positions: Positions;
  readonly isImmediate: boolean;
  readonly isDigest: boolean;
}

/** The positions by severity, as PostgreSQL writes them. */
type Positions = Readonly<Record<AlertModel['severity'], string>>;

interface DueRow extends Omit<ClaimedMail, 'claimId' | 'alerts' | 'alertCount' | 'linkSecret'> {
  readonly authority: Authority;
  readonly quietUntil: Date | null;
  readonly until: string;
}

const IS_DUE = `least(s.immediate_due_at, s.digest_due_at) <= now() and s.bounced_at is null
  and coalesce(s.held_until <= now(), true) and coalesce(s.claimed_until <= now(), true)`;

const mailIsDue = (severity: string) =>
  `case ${severity}_mail when 'immediate' then immediate_due_at when 'digest' then digest_due_at end <= now()`;

const DUE = `
  select s.id as settings_id, s.organization_id, o.name as organization_name, s.address, s.language, s.time_zone, s.authority,
    quiet_until(now(), s.quiet_from, s.quiet_to, s.time_zone) as quiet_until,
    coalesce(s.immediate_due_at <= now(), false) as is_immediate, coalesce(s.digest_due_at <= now(), false) as is_digest,
    jsonb_build_object('info', s.info_after, 'warning', s.warning_after, 'critical', s.critical_after) as positions,
    array_remove(array[
      case when ${mailIsDue('s.info')} then 'info' end, case when ${mailIsDue('s.warning')} then 'warning' end,
      case when ${mailIsDue('s.critical')} then 'critical' end], null) as severities,
    p.position::text as until
  from notification_settings s join organizations o on o.id = s.organization_id cross join notification_position p
  where ${IS_DUE} order by least(s.immediate_due_at, s.digest_due_at) limit 1 for update of s skip locked`;

/*
 * An alert that was mailed as one severity is not mailed as another one. Alerts of modules that are in quarantine, or no
 * longer installed, are not mailed.
 */
const ALERTS = `
  with raised as (
    select id from alerts
    where organization_id = :organizationId and status in ('firing', 'resolved') and created_at > :since::timestamptz
    union
    select id from alerts where severity_at > :since::timestamptz and organization_id = :organizationId
  ), pending as (
    select a.* from raised r join alerts a using (id) join modules m on m.id = a.module_id
    where exists (select from ${SEVERITIES} where had.severity = any(:severities::text[]) and had.at::timestamptz > :since::timestamptz
        and had.at::timestamptz <= :until::timestamptz)
      and not exists (select from ${SEVERITIES} where had.at::timestamptz <= (:positions::jsonb ->> had.severity)::timestamptz)
      and exists (select from installations i where i.organization_id = a.organization_id and i.module_id = a.module_id)
      and not ${isQuarantined('m')}
  )
  select a.id, a.severity, a.status, a.title, a.message, a.starts_at, count(*) over ()::int as alert_count,
    (select ('{' || s.members || '}')::jsonb ->> 'name' from structures s
      where s.organization_id = a.organization_id and s.id = a.target_id) as target_name
  from pending a
  order by a.status = 'resolved', array_position(array['critical', 'warning', 'info'], a.severity), a.created_at desc
  limit ${LISTED}`;

const SINCE = `
  select greatest(now() - ${MAILED_DAYS} * interval '1 day',
    (select min(value::timestamptz) from jsonb_each_text(:positions::jsonb) where key = any(:severities::text[])))::text as since`;

/** The SQL of new positions of the severities of the mail. */
const positions = (valueOf: (severity: AlertModel['severity']) => string) =>
  (['info', 'warning', 'critical'] as const)
    .map(
      (severity) => `${severity}_after = case when '${severity}' = any(:severities::text[])
      then ${valueOf(severity)} else ${severity}_after end`,
    )
    .join(', ');

const CLAIM = `
  update notification_settings set
    ${positions((severity) => `greatest(${severity}_after, :until::timestamptz)`)},
    immediate_due_at = case when not :isImmediate then immediate_due_at end,
    digest_due_at = case when not :isDigest then digest_due_at end,
    claim_id = case when :isMail then gen_random_uuid() end,
    claimed_until = case when :isMail then now() + ${CLAIM_SECONDS} * interval '1 second' end,
    mailed_at = case when :isMail then now() else mailed_at end, held_until = null
  where id = :settingsId returning claim_id`;

/**
 * Claims a mail that is due: no other worker sends it, and after a crash nobody does. Returns null where nothing is due,
 * and 'nothing' where what was due is not to be sent now, or at all.
 */
export async function claimMail(database: Database): Promise<ClaimedMail | 'nothing' | null> {
  return database.transaction(async (transaction) => {
    const due = await queryRow<DueRow>(transaction, DUE);
    if (due === null) return null;
    if (await isHeldBack(transaction, due)) return 'nothing';
    const { settingsId, organizationId, positions: before, severities, until, isImmediate, isDigest } = due;
    const { since } = await onlyRow<{ since: string }>(transaction, SINCE, { positions: before, severities });
    const values = { organizationId, positions: before, severities, until, since };
    const alerts = await queryRows<MailedAlert & { alertCount: number }>(transaction, ALERTS, values);
    const isMail = alerts.length > 0;
    const taken = { settingsId, severities, until, isImmediate, isDigest, isMail };
    const { claimId } = await onlyRow<{ claimId: string | null }>(transaction, CLAIM, taken);
    if (claimId === null) return 'nothing';
    const linkSecret = newSecret();
    await transaction('notification_links').insert({ secretSha256: hashOfSecret(linkSecret), settingsId });
    return { ...due, claimId, alerts, alertCount: alerts[0]?.alertCount ?? 0, linkSecret };
  });
}

const SUSPENDED_SECONDS = 600;

/** Whether a mail is not to be sent now: it is held back, or the person is no longer a member and gets none. */
async function isHeldBack(
  transaction: Database,
  { settingsId, authority, quietUntil }: DueRow,
): Promise<boolean> {
  const lost = await lostBy(transaction, authority);
  if (lost === 'withdrawal') {
    await transaction('notification_settings').where({ id: settingsId }).delete();
    return true;
  }
  if (lost === null && quietUntil === null) return false;
  const later = transaction.raw(`now() + ${SUSPENDED_SECONDS} * interval '1 second'`);
  await transaction('notification_settings')
    .where({ id: settingsId })
    .update({ heldUntil: lost === null ? quietUntil : later });
  return true;
}

const FREE = 'claim_id = null, claimed_until = null';

/** Records that a mail was sent, or may have been: it is not sent again. */
export async function recordSent(database: Database, { settingsId, claimId }: ClaimedMail): Promise<void> {
  const statement = `update notification_settings set ${FREE}, failed_attempts = 0
    where id = :settingsId and claim_id = :claimId`;
  await database.raw(statement, { settingsId, claimId });
}

const FIRST_RETRY_SECONDS = 60;
const LONGEST_RETRY_SECONDS = 3_600;

const NOT_SENT = `
  update notification_settings set ${FREE},
    ${positions((severity) => `(:positions::jsonb ->> '${severity}')::timestamptz`)},
    immediate_due_at = case when :isImmediate then now() else immediate_due_at end,
    digest_due_at = case when :isDigest then now() else digest_due_at end,
    failed_attempts = failed_attempts + 1,
    bounce_status = case when address = :address then :bounceStatus::int end,
    bounced_at = case when address = :address and :bounceStatus::int is not null then now() end,
    held_until = now() + least(${LONGEST_RETRY_SECONDS}, ${FIRST_RETRY_SECONDS} * 2 ^ least(failed_attempts, 10)) * interval '1 second'
  where id = :settingsId and claim_id = :claimId`;

/**
 * Records that a mail was not sent: its alerts are in the next one, which is tried at growing intervals. With the status
 * of an answer that refuses the address for good, mails to the person are paused.
 */
export async function recordNotSent(
  database: Database,
  { settingsId, claimId, severities, positions, isImmediate, isDigest, address }: ClaimedMail,
  bounceStatus: number | null,
): Promise<void> {
  const due = { isImmediate, isDigest, severities: [...severities], positions };
  await database.raw(NOT_SENT, { settingsId, claimId, address, ...due, bounceStatus });
}
