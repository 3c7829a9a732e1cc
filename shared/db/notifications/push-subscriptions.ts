import type { Authority } from '../access/authority.ts';
import type { MemberKey } from '../access/members.ts';
import type { Database } from '../database.ts';
import { requireWithin } from '../quota.ts';
import { onlyRow, queryRow, queryRows } from '../statement.ts';
import {
  FIRST_WISHES,
  firstPositions,
  noteRecipient,
  OF_PERSON,
  type MessageLanguage,
} from './notification-settings.ts';

/** A person's browsers; those that are no longer used end by themselves. */
const MAX_BROWSERS = 10;

/** With them a message to a browser is encrypted, in base64url (RFC 8291, section 2). */
export interface PushKeys {
  readonly p256dh: string;
  readonly auth: string;
}

/** A browser that is notified by web push. */
export interface PushSubscription {
  readonly id: string;
  /** Its address at its push service. Whoever has it can find this browser; only its own person sees it. */
  readonly endpoint: string;
  readonly browser: string | null;
  readonly operatingSystem: string | null;
  readonly createdAt: Date;
}

/** A browser that a person subscribes. */
export interface NewPushSubscription extends Pick<
  PushSubscription,
  'endpoint' | 'browser' | 'operatingSystem'
> {
  readonly keys: PushKeys;
  /** Of a person who has written no settings. */
  readonly language: MessageLanguage;
}

const COLUMNS = 'r.id, r.address as endpoint, r.browser, r.operating_system, r.created_at';

const OF_BROWSER = `s.id = r.settings_id and r.channel = 'push' and ${OF_PERSON}`;

/** The browsers in which a person is notified of the alerts of an organization, newest first. */
export async function listPushSubscriptions(
  database: Database,
  person: MemberKey,
): Promise<readonly PushSubscription[]> {
  const statement = `select ${COLUMNS} from notification_recipients r, notification_settings s where ${OF_BROWSER}
    order by r.created_at desc, r.id desc`;
  return queryRows<PushSubscription>(database, statement, { ...person });
}

/** Browsers of other people at the same address: whoever used this browser before is not notified here any more. */
const TAKE_OVER = `
  delete from notification_recipients r using notification_settings s
  where r.address = :endpoint and r.channel = 'push' and s.id = r.settings_id
    and (s.issuer, s.subject) <> (:issuer, :subject)`;

const ADD = `
  insert into notification_recipients as r (settings_id, channel, address, push_keys, browser, operating_system, positions, starts)
  values (:settingsId, 'push', :endpoint, :keys::jsonb, :browser, :operatingSystem, ${firstPositions('push')},
    ${firstPositions('push')})
  on conflict (address, settings_id) where channel = 'push' do update set push_keys = excluded.push_keys
  returning ${COLUMNS}`;

const COUNT = `
  select count(*)::int as count from notification_recipients where settings_id = :settingsId and channel = 'push'`;

/** Notifies a person in a browser from now on; one that is known gets its new keys. @throws QuotaExceededError */
export async function addPushSubscription(
  database: Database,
  person: MemberKey,
  { language, keys, ...browser }: NewPushSubscription,
  authority: Authority,
): Promise<PushSubscription> {
  return database.transaction(async (transaction) => {
    const { issuer, subject } = person;
    const first = { wishes: FIRST_WISHES, language, quietHours: null };
    // Locks the person's settings: of two browsers at once each counts the other.
    const settingsId = await noteRecipient(transaction, person, first, authority);
    await transaction.raw(TAKE_OVER, { endpoint: browser.endpoint, issuer, subject });
    const values = { settingsId, ...browser, keys: { ...keys } };
    const added = await onlyRow<PushSubscription>(transaction, ADD, values);
    const { count } = await onlyRow<{ count: number }>(transaction, COUNT, { settingsId });
    requireWithin(count, MAX_BROWSERS, 'browsers that notify you');
    return added;
  });
}

const DELETE = `
  delete from notification_recipients r using notification_settings s where r.id = :id and ${OF_BROWSER} returning r.id`;

/** Ends the notifications in one of a person's browsers; null: they have no such browser. */
export async function deletePushSubscription(database: Database, person: MemberKey, id: string) {
  return queryRow<{ id: string }>(database, DELETE, { ...person, id });
}

/** Ends the notifications in a browser, whoever they are for: of all organizations, as of a sign-out there. */
export async function endBrowser(database: Database, endpoint: string): Promise<void> {
  await database.raw(`delete from notification_recipients where channel = 'push' and address = :endpoint`, {
    endpoint,
  });
}
