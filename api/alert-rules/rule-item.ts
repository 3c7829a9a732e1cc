import type { AlertRuleModel } from '../../shared/db/models.ts';
import { timestamp } from '../http/problem.ts';

/** An alert rule as answers show it, to farmers and to modules alike. */
export function ruleItem(row: AlertRuleModel) {
  return {
    id: row.id,
    organizationId: row.organizationId,
    moduleId: row.moduleId,
    criteria: row.criteria,
    values: row.ruleValues,
    name: row.name,
    enabled: row.enabled,
    status: row.status,
    outdatedReasons: row.outdatedReasons,
    definitionRevision: row.definitionRevision,
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  };
}
