import { auditInsert, type Actor } from '../access/audit-log.ts';
import { changesInsert } from '../changes/record-changes.ts';
import type { Database } from '../database.ts';
import { keysetPage, newestFirst, type Page, type PageRequest } from '../keyset-page.ts';
import { AlertModel, type AlertStatus } from './models.ts';

/** The filter of a list; null: every status, every severity, every module. */
export interface AlertFilter {
  readonly status: AlertStatus | null;
  readonly severity: AlertModel['severity'] | null;
  readonly moduleId: string | null;
}

/** An organization's alerts, newest first. Of every status: the newest of each are read by its index, and merged. */
export async function listAlerts(
  database: Database,
  organizationId: string,
  { status, severity, moduleId }: AlertFilter,
  page: PageRequest,
): Promise<Page<AlertModel>> {
  const filter = {
    organizationId,
    ...(severity !== null && { severity }),
    ...(moduleId !== null && { moduleId }),
  };
  const withStatus = (each: AlertStatus) => AlertModel.query(database).where({ ...filter, status: each });
  if (status !== null) return keysetPage(withStatus(status), page);
  const newest = (each: AlertStatus) =>
    AlertModel.query(database).from(newestFirst(withStatus(each), page).as('alerts'));
  const merged = newest('firing').unionAll(newest('resolved')).as('alerts');
  return keysetPage(AlertModel.query(database).from(merged), page);
}

/*
 * One statement decides, so that of two at once one is the first: the second waits for the row, finds it acknowledged,
 * and changes nothing.
 */
const ACKNOWLEDGE = `
  with acknowledged as (
    update alerts set acknowledged_at = now(), acknowledged_by = :subject, updated_at = now()
    where id = :alertId and organization_id = :organizationId and acknowledged_at is null
    returning id, organization_id, module_id, rule_id, title
  ), recorded as (${changesInsert("'alert.acknowledged'", 'acknowledged', {
    subject: { alertId: 'id', ruleId: 'rule_id' },
  })})
  ${auditInsert('alert.acknowledged', 'acknowledged', {
    ...{ moduleId: 'module_id', targetId: 'id', targetName: 'title' },
  })}`;

/** Records who acknowledged an alert first; null where the organization has no such alert. */
export async function acknowledgeAlert(
  database: Database,
  organizationId: string,
  alertId: string,
  actor: Actor,
): Promise<AlertModel | null> {
  await database.raw(ACKNOWLEDGE, { alertId, organizationId, ...actor });
  return (await AlertModel.query(database).findById(alertId).where({ organizationId })) ?? null;
}
