import { isSuspended } from '../access/suspension-state.ts';
import type { Database } from '../database.ts';
import { onlyRow } from '../statement.ts';

/** Of more waiting deliveries nobody needs the number, and each is a row that would be read. */
export const MAX_COUNTED_DELIVERIES = 10_000;

/** The deliveries of webhooks that have not succeeded yet; 0 where there is nothing of the kind. */
export interface Undelivered {
  /** The deliveries that wait for a call or run, at most `MAX_COUNTED_DELIVERIES`. */
  readonly waiting: number;
  /** Since the oldest event that waits for its first call. */
  readonly oldestWaitingSeconds: number;
  /** The webhooks whose last calls failed, and that are called again. */
  readonly failingWebhooks: number;
  /** Since the first of the failed calls of the webhook that has failed for the longest time. */
  readonly longestFailingSeconds: number;
}

const secondsSince = (time: string) =>
  `coalesce(greatest(extract(epoch from now() - ${time}), 0), 0)::float8`;

/*
 * Without a worker nobody makes the deliveries: then the changes wait. What a pause, a quarantine or a suspension holds
 * back is not late, and neither is a webhook that failed until its events were dropped.
 */
const UNDELIVERED = `
  with behind as (select distinct organization_id, webhook_id from webhooks_behind),
  failing as (select failing_since from webhooks w
    where status = 'enabled' and failing_since is not null and not ${isSuspended('w.organization_id')} and exists (
      select from webhook_deliveries where webhook_id = w.id and (is_due or due_at is not null))),
  waiting as (select from webhook_deliveries d
    where (is_due or due_at is not null) and not ${isSuspended('d.organization_id')} limit ${MAX_COUNTED_DELIVERIES})
  select (select count(*) from waiting)::int as waiting, (select count(*) from failing)::int as failing_webhooks,
    ${secondsSince(`least(
      (select min(started_at) from webhook_deliveries d
       where is_due and attempts = 0 and not ${isSuspended('d.organization_id')}),
      (select min(c.at) from behind b join webhooks w on w.id = b.webhook_id cross join lateral (
        select at from changes where module_id = w.module_id and position > w.position order by position limit 1) c
       where w.status = 'enabled' and not ${isSuspended('b.organization_id')}))`)} as oldest_waiting_seconds,
    ${secondsSince('(select min(failing_since) from failing)')} as longest_failing_seconds`;

/** Reads the deliveries of all webhooks that have not succeeded yet: how many, and how late they are. */
export async function readUndelivered(database: Database): Promise<Undelivered> {
  return onlyRow<Undelivered>(database, UNDELIVERED);
}
