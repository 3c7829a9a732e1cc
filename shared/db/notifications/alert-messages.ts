import { lostBy, type Authority } from '../access/authority.ts';
import type { AlertModel } from '../alerts/models.ts';
import type { Database } from '../database.ts';
import { isQuarantined } from '../modules/quarantine-state.ts';
import { onlyRow, queryRow, queryRows } from '../statement.ts';
import type { Channel, MessageLanguage } from './notification-settings.ts';
import type { PushKeys } from './push-subscriptions.ts';

/** Alerts that are raised shortly after each other are one message. */
const COLLECT_SECONDS = 30;
const SECONDS_BETWEEN_MESSAGES = 300;
/** Older alerts are not sent, whatever has held the message back. */
const SENT_DAYS = 7;
/** A message lists no more alerts; of the others it has the number. */
const LISTED = 50;
/** Longer than a send takes at most: while it runs, no other message to the recipient is claimed. */
export const CLAIM_SECONDS = 600;

/*
 * A transaction that is still running may commit alerts with the time of its start: positions stay before it. A role may not
 * see when another role's transactions started. So the next position is noted with the transactions that run then, and taken
 * when none of them runs any more; a transaction that runs for three minutes raises no alerts. A second is ample for one that
 * has just started to be seen here. A position in the future is from a primary whose clock was ahead: alerts of now would be
 * before it, so it counts as unknown. Nothing is sent twice, because each recipient has positions of its own; one who was sent
 * a message just before the failover misses the alerts up to that position.
 */
const SPAN = `
  with running as materialized (
    select l.virtualxid as id, coalesce((p.running ->> l.virtualxid)::timestamptz, now()) as seen_at
    from notification_position p cross join pg_locks l join pg_stat_activity s using (pid)
    where l.locktype = 'virtualxid' and s.datname = current_database() and l.pid <> pg_backend_pid()
  ), raising as (
    select id from running where seen_at > now() - interval '3 minutes'
  ), span as (
    select case when position > now() then '-infinity' else position end as position, case
        when not exists (select from raising) then now() - interval '1 second'
        when not exists (select from raising where jsonb_exists(p.running, id)) then least(next_position, now() - interval '1 second')
      end as until
    from notification_position p
  ), noted as (
    update notification_position set next_position = now() - interval '1 second',
      running = (select jsonb_object_agg(id, seen_at) from running)
    from span where until is not null
  )
  select greatest(position, now() - ${SENT_DAYS} * interval '1 day')::text as "after", greatest(position, until)::text as until
  from span`;

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
    select r.id, s.time_zone, min(f.at) filter (where wish = 'immediate') as immediate_at, bool_or(wish = 'digest') as is_digest
    from fresh f join notification_settings s using (organization_id) join notification_recipients r on r.settings_id = s.id
      cross join lateral (select s.wishes -> f.severity ->> r.channel as wish) as wished
    where wish <> 'none'
    group by r.id, s.time_zone
  ), moved as (
    update notification_position set position = :until::timestamptz
  )
  update notification_recipients r set
    immediate_due_at = least(r.immediate_due_at, case when w.immediate_at is not null then greatest(
      w.immediate_at + ${COLLECT_SECONDS} * interval '1 second',
      r.sent_at + ${SECONDS_BETWEEN_MESSAGES} * interval '1 second') end),
    digest_due_at = least(r.digest_due_at,
      case when w.is_digest then next_digest(now(), coalesce(w.time_zone, 'UTC')) end)
  from wanted w where r.id = w.id`;

/**
 * Finds the recipients of alerts that were raised since the last time. Statements of their own: each sees what had been
 * committed when the one before it ended.
 */
export async function gatherAlerts(database: Database): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction('notification_position').forUpdate().first();
    const span = await onlyRow<{ after: string; until: string }>(transaction, SPAN);
    if (span.after !== span.until) await transaction.raw(GATHER, { ...span });
  });
}

/** An alert in a message. */
export interface SentAlert extends Readonly<
  Pick<AlertModel, 'id' | 'severity' | 'status' | 'title' | 'message' | 'startsAt'>
> {
  /** Of the structure; null: it has none, or is gone. */
  readonly targetName: string | null;
}

/** A message that one worker is to send. */
export interface ClaimedMessage {
  readonly recipientId: string;
  readonly claimId: string;
  readonly address: string;
  /** Null: of a mail. */
  readonly pushKeys: PushKeys | null;
  readonly language: MessageLanguage;
  readonly timeZone: string | null;
  readonly organizationId: string;
  readonly organizationName: string;
  /** The first of them, the most severe first. */
  readonly alerts: readonly SentAlert[];
  readonly alertCount: number;
  /** Those that are due, and what the recipient was sent of each before. */
  readonly severities: readonly AlertModel['severity'][];
  readonly positions: Times;
  readonly isImmediate: boolean;
  readonly isDigest: boolean;
}

/** Times by severity, as PostgreSQL writes them. */
type Times = Readonly<Record<AlertModel['severity'], string>>;

interface DueRow extends Omit<ClaimedMessage, 'claimId' | 'alerts' | 'alertCount'> {
  readonly settingsId: string;
  readonly authority: Authority;
  readonly quietUntil: Date | null;
  /** Alerts up to then were not sent, by severity. */
  readonly starts: Times;
  readonly until: string;
}

const IS_DUE = `r.channel = :channel and least(r.immediate_due_at, r.digest_due_at) <= now() and r.bounced_at is null
  and coalesce(r.held_until <= now(), true) and coalesce(r.claimed_until <= now(), true)`;

const DUE = `
  select r.id as recipient_id, r.address, r.push_keys, r.positions, r.starts, s.id as settings_id, s.organization_id,
    o.name as organization_name, s.language, s.time_zone, s.authority,
    quiet_until(now(), s.quiet_from, s.quiet_to, s.time_zone) as quiet_until,
    coalesce(r.immediate_due_at <= now(), false) as is_immediate, coalesce(r.digest_due_at <= now(), false) as is_digest,
    array(select severity from jsonb_each(s.wishes) as w (severity, wish) where case wish ->> r.channel
      when 'immediate' then r.immediate_due_at when 'digest' then r.digest_due_at end <= now()) as severities,
    least(p.position, now())::text as until
  from notification_recipients r join notification_settings s on s.id = r.settings_id
    join organizations o on o.id = s.organization_id cross join notification_position p
  where ${IS_DUE} order by least(r.immediate_due_at, r.digest_due_at) limit 1 for update of r skip locked`;

/*
 * An alert that was sent as one severity is not sent as another one. Alerts of modules that are in quarantine, or no
 * longer installed, are not sent.
 */
const ALERTS = `
  with raised as (
    select id from alerts
    where organization_id = :organizationId and status in ('firing', 'resolved') and created_at > :since::timestamptz
    union
    select id from alerts where severity_at > :since::timestamptz and organization_id = :organizationId
  ), pending as (
    select a.* from raised r join alerts a using (id) join modules m on m.id = a.module_id
    where exists (select from ${SEVERITIES} where had.severity = any(:severities::text[])
        and had.at::timestamptz > greatest(:since::timestamptz, (:positions::jsonb ->> had.severity)::timestamptz)
        and had.at::timestamptz <= :until::timestamptz)
      and not exists (select from ${SEVERITIES} where had.at::timestamptz > (:starts::jsonb ->> had.severity)::timestamptz
        and had.at::timestamptz <= (:positions::jsonb ->> had.severity)::timestamptz)
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
  select greatest(now() - ${SENT_DAYS} * interval '1 day',
    (select min(value::timestamptz) from jsonb_each_text(:positions::jsonb) where key = any(:severities::text[])))::text as since`;

/** The SQL of new positions of the severities of the message. */
const positions = (value: string) =>
  `positions || coalesce((select jsonb_object_agg(severity, ${value}) from unnest(:severities::text[]) as severity), '{}')`;

const CLAIM = `
  update notification_recipients set
    positions = ${positions('greatest((positions ->> severity)::timestamptz, :until::timestamptz)')},
    immediate_due_at = case when not :isImmediate then immediate_due_at end,
    digest_due_at = case when not :isDigest then digest_due_at end,
    claim_id = case when :isMessage then gen_random_uuid() end,
    claimed_until = case when :isMessage then now() + ${CLAIM_SECONDS} * interval '1 second' end,
    sent_at = case when :isMessage then now() else sent_at end, held_until = null
  where id = :recipientId returning claim_id`;

/**
 * Claims a message of a channel that is due: no other worker sends it, and after a crash nobody does. Returns null where
 * nothing is due, and 'nothing' where what was due is not to be sent now, or at all.
 */
export async function claimMessage(
  database: Database,
  channel: Channel,
): Promise<ClaimedMessage | 'nothing' | null> {
  return database.transaction(async (transaction) => {
    const due = await queryRow<DueRow>(transaction, DUE, { channel });
    if (due === null) return null;
    if (await isHeldBack(transaction, due)) return 'nothing';
    const {
      recipientId,
      organizationId,
      positions: before,
      starts,
      severities,
      until,
      isImmediate,
      isDigest,
    } = due;
    const { since } = await onlyRow<{ since: string }>(transaction, SINCE, { positions: before, severities });
    const values = { organizationId, positions: before, starts, severities, until, since };
    const alerts = await queryRows<SentAlert & { alertCount: number }>(transaction, ALERTS, values);
    const isMessage = alerts.length > 0;
    const taken = { recipientId, severities, until, isImmediate, isDigest, isMessage };
    const { claimId } = await onlyRow<{ claimId: string | null }>(transaction, CLAIM, taken);
    if (claimId === null) return 'nothing';
    return { ...due, claimId, alerts, alertCount: alerts[0]?.alertCount ?? 0 };
  });
}

const SUSPENDED_SECONDS = 600;

/** Whether a message is not to be sent now: it is held back, or the person is no longer a member and gets none. */
async function isHeldBack(
  transaction: Database,
  { recipientId, settingsId, authority, quietUntil }: DueRow,
): Promise<boolean> {
  const lost = await lostBy(transaction, authority);
  if (lost === 'withdrawal') {
    await transaction('notification_settings').where({ id: settingsId }).delete();
    return true;
  }
  if (lost === null && quietUntil === null) return false;
  const later = transaction.raw(`now() + ${SUSPENDED_SECONDS} * interval '1 second'`);
  await transaction('notification_recipients')
    .where({ id: recipientId })
    .update({ heldUntil: lost === null ? quietUntil : later });
  return true;
}

const FREE = 'claim_id = null, claimed_until = null';
const CLAIMED = 'where id = :recipientId and claim_id = :claimId';

/** Records that a message was sent, or may have been: it is not sent again. */
export async function recordSent(
  database: Database,
  { recipientId, claimId }: ClaimedMessage,
): Promise<void> {
  const statement = `update notification_recipients set ${FREE}, failed_attempts = 0 ${CLAIMED}`;
  await database.raw(statement, { recipientId, claimId });
}

/** Records that a message was not sent because its recipient has ended: nothing is sent there any more. */
export async function recordGone(
  database: Database,
  { recipientId, claimId }: ClaimedMessage,
): Promise<void> {
  await database.raw(`delete from notification_recipients ${CLAIMED}`, { recipientId, claimId });
}

const FIRST_RETRY_SECONDS = 60;
const LONGEST_RETRY_SECONDS = 3_600;

const NOT_SENT = `
  update notification_recipients set ${FREE},
    positions = ${positions(':positions::jsonb -> severity')},
    immediate_due_at = case when :isImmediate then now() else immediate_due_at end,
    digest_due_at = case when :isDigest then now() else digest_due_at end,
    failed_attempts = failed_attempts + 1,
    bounce_status = case when address = :address then :bounceStatus::int end,
    bounced_at = case when address = :address and :bounceStatus::int is not null then now() end,
    held_until = now() + least(:longestSeconds::int,
      greatest(:retryAfterSeconds, ${FIRST_RETRY_SECONDS} * 2 ^ least(failed_attempts, 10))) * interval '1 second'
  ${CLAIMED}`;

/** Why a message was not sent. */
export interface NotSent {
  /** The status of an answer that refuses the address for good: messages to it are paused. */
  readonly bounceStatus?: number | null;
  /** The receiver's wish; it is not waited longer than an hour. */
  readonly retryAfterSeconds?: number;
  /** The longest interval. */
  readonly longestSeconds?: number;
}

/** Records that a message was not sent: its alerts are in the next one, which is tried at growing intervals. */
export async function recordNotSent(
  database: Database,
  { recipientId, claimId, severities, positions: before, isImmediate, isDigest, address }: ClaimedMessage,
  { bounceStatus = null, retryAfterSeconds = 0, longestSeconds = LONGEST_RETRY_SECONDS }: NotSent = {},
): Promise<void> {
  const due = { isImmediate, isDigest, severities: [...severities], positions: before };
  const why = { bounceStatus, retryAfterSeconds, longestSeconds };
  await database.raw(NOT_SENT, { recipientId, claimId, address, ...due, ...why });
}
