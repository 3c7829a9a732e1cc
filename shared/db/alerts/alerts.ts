import type { Database } from '../database.ts';
import { keysetPage } from '../keyset-page.ts';
import type { Page, PageRequest } from '../keyset-page.ts';
import { AlertModel } from '../models.ts';
import type { AlertStatus } from '../models.ts';

/** Which alerts a list shows; null: of every status, of every module. */
export interface AlertFilter {
  readonly status: AlertStatus | null;
  readonly moduleId: string | null;
}

/** An organization's alerts, newest first. */
export async function listAlerts(
  database: Database,
  organizationId: string,
  { status, moduleId }: AlertFilter,
  page: PageRequest,
): Promise<Page<AlertModel>> {
  const query = AlertModel.query(database).where({
    organizationId,
    ...(status !== null && { status }),
    ...(moduleId !== null && { moduleId }),
  });
  return keysetPage(query, page);
}

/** Records who acknowledged an alert first; null where the organization has no such alert. */
export async function acknowledgeAlert(
  database: Database,
  organizationId: string,
  alertId: string,
  subject: string,
): Promise<AlertModel | null> {
  // One statement decides, so that of two at once one is the first.
  const result = await database.raw<{ rows: AlertModel[] }>(
    `update alerts set acknowledged_at = coalesce(acknowledged_at, now()),
       acknowledged_by = case when acknowledged_at is null then :subject else acknowledged_by end,
       updated_at = case when acknowledged_at is null then now() else updated_at end
     where id = :alertId and organization_id = :organizationId returning *`,
    { alertId, organizationId, subject },
  );
  return result.rows[0] ?? null;
}
