import { Model } from 'objection';

/** Whether a rule fits the module's current definition. */
export type AlertRuleStatus = 'active' | 'outdated';

/** A rule that a farmer built from a definition. */
export class AlertRuleModel extends Model {
  static override readonly tableName = 'alert_rules';
  static override readonly jsonAttributes = ['ruleValues', 'outdatedReasons'];
  declare id: string;
  declare organizationId: string;
  declare moduleId: string;
  declare criteria: string;
  declare ruleValues: Readonly<Record<string, string | number | boolean>>;
  declare name: string | null;
  declare enabled: boolean;
  declare status: AlertRuleStatus;
  declare outdatedReasons: readonly string[];
  declare definitionRevision: number;
  /** Of the definitions that validated the rule; null: they declare none. */
  declare expectedIntervalHours: number | null;
  /** When the module last reported the rule, or up to a minute before. */
  declare reportedAt: Date | null;
  declare createdBy: string;
  declare updatedBy: string;
  declare createdAt: Date;
  declare updatedAt: Date;
}

/** Whether the condition that an alert reports persists. */
export type AlertStatus = 'firing' | 'resolved';

/** What a module's back end raised under a rule. */
export class AlertModel extends Model {
  static override readonly tableName = 'alerts';
  static override readonly jsonAttributes = ['labels'];
  declare id: string;
  declare organizationId: string;
  declare moduleId: string;
  declare ruleId: string;
  declare fingerprint: Buffer;
  declare targetType: 'farm' | 'field' | 'block' | 'irrigationStation';
  declare targetId: string;
  declare status: AlertStatus;
  declare severity: 'info' | 'warning' | 'critical';
  declare startsAt: Date;
  declare endsAt: Date | null;
  declare title: string;
  declare message: string;
  declare value: number | null;
  declare labels: Readonly<Record<string, string>>;
  declare acknowledgedAt: Date | null;
  declare acknowledgedBy: string | null;
  declare createdAt: Date;
  declare updatedAt: Date;
}
