import { modelOf } from '../rows.ts';
import type { AlertTargetType } from './alert-fingerprint.ts';

/** Whether a rule fits the module's current definition. */
export type AlertRuleStatus = 'active' | 'outdated';

/** A rule that a farmer built from a definition. */
export class AlertRuleModel extends modelOf('alert_rules') {
  static override readonly jsonAttributes = ['ruleValues', 'outdatedReasons'];
  declare ruleValues: Readonly<Record<string, string | number | boolean>>;
  declare status: AlertRuleStatus;
  declare outdatedReasons: readonly string[];
}

/** Whether the condition that an alert reports persists. */
export type AlertStatus = 'firing' | 'resolved';

/** What a module's back end raised under a rule. */
export class AlertModel extends modelOf('alerts') {
  static override readonly jsonAttributes = ['labels', 'severities'];
  declare targetType: AlertTargetType;
  declare status: AlertStatus;
  declare severity: 'info' | 'warning' | 'critical';
  declare labels: Readonly<Record<string, string>>;
  declare severities: Readonly<Record<string, string>> | null;
}
