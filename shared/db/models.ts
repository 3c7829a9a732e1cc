import { Model } from 'objection';
import type { ModuleDocument } from '../package/documents/applicable-documents.ts';
import type { Problem } from '../package/problem.ts';
import type { RecordedRun } from './access/publisher-run.ts';
import type { Role } from './access/role.ts';

/*
 * One class for each table whose rows are read as objects. Members are declared, not defined: a class field would
 * give every row an own `undefined`. A model is bound where it is used: `ImportModel.query(database)`.
 */

/** Vendors offer modules, farmers install them. */
export type OrganizationKind = 'vendor' | 'farmer';

/** A vendor or a farmer. */
export class OrganizationModel extends Model {
  static override readonly tableName = 'organizations';
  declare id: string;
  declare tenantId: string;
  declare kind: OrganizationKind;
  declare name: string;
  /** ISO 3166-1 alpha-2; null: not known. */
  declare countryCode: string | null;
  declare createdBy: string;
  declare updatedBy: string;
  declare createdAt: Date;
  declare updatedAt: Date;
  declare deletedAt: Date | null;
  declare deletedBy: string | null;
  declare deletionTraceId: string | null;
}

/** The states of an import; the last four are final. */
export type ImportStatus = 'queued' | 'running' | 'succeeded' | 'rejected' | 'failed' | 'cancelled';
/** What a successful import did to its module. */
export type ImportOutcome = 'created' | 'updated' | 'unchanged';
/** Where an unfinished import is. */
export type ImportStep = 'queued' | 'reading' | 'checking' | 'writing';

/** Why an import failed, as its vendor may read it. */
export interface ImportFailure {
  readonly code: 'import-failed' | 'import-deadline-exceeded';
  readonly detail: string;
  readonly severity: 'error';
}

/** The failed attempts of an import since it was queued, for operators. */
export interface FailedAttempts {
  /** Where the last one was. */
  readonly step: ImportStep;
  /** The error of the last one with its causes. */
  readonly cause: string;
  readonly attempts: number;
  /** ISO 8601, by the database's clock. */
  readonly firstAt: string;
  readonly lastAt: string;
}

/** One upload of a package and its result. */
export class ImportModel extends Model {
  static override readonly tableName = 'imports';
  static override readonly jsonAttributes = ['errors', 'warnings', 'failure', 'publisher'];
  declare id: string;
  declare organizationId: string;
  declare tenantId: string;
  /** The subject of the token that uploaded the package. */
  declare importedBy: string;
  declare status: ImportStatus;
  declare validateOnly: boolean;
  declare expectedRevisions: number[] | null;
  declare newModuleId: string;
  declare runId: string | null;
  /** How often an operator has queued it again. */
  declare retries: number;
  declare fileName: string | null;
  declare sizeBytes: number;
  declare sha256: Buffer;
  /** The uploaded archive, until a revision takes it over or it is no longer kept. */
  declare archiveKey: string | null;
  declare traceId: string;
  declare traceParent: string;
  declare outcome: ImportOutcome | null;
  declare moduleId: string | null;
  /** The module that the package of a rejected or failed import named, of whatever owner; null: none, or it could not be read. */
  declare namedModuleId: string | null;
  declare revision: number | null;
  /** The package's problems of a rejected import, or why the import failed. */
  declare errors: (Problem | ImportFailure)[];
  declare warnings: Problem[];
  declare errorsTotal: number;
  declare progressStep: ImportStep;
  declare progressCompleted: number;
  declare progressTotal: number;
  declare version: number;
  declare acceptanceOrder: number;
  declare createdAt: Date;
  declare updatedAt: Date;
  declare startedAt: Date | null;
  declare finishedAt: Date | null;
  declare failedAt: Date | null;
  declare queuedAt: Date;
  /** The only module that it may change; null: any of its organization. */
  declare onlyModuleId: string | null;
  /** The trusted publisher's access token that uploaded it; null: it was a person's. */
  declare publisherTokenId: string | null;
  /** The run that had the token; null: it was a person's. */
  declare publisher: RecordedRun | null;
  /** Null: no attempt has failed. */
  declare failure: FailedAttempts | null;
  /** Whether the upload asked for a staged revision. */
  declare staged: boolean;
  /** Once it has succeeded: whether its revision is the one released to everyone. */
  declare released: boolean;
  /** When an operator dismissed the failed import. */
  declare dismissedAt: Date | null;
}

/** The row of an import as a value, without what Objection adds. */
export type ImportRow = Omit<ImportModel, keyof Model>;

/** A person who is a member of an organization by a record of this service. */
export class MemberModel extends Model {
  static override readonly tableName = 'members';
  declare id: string;
  declare organizationId: string;
  declare issuer: string;
  declare subject: string;
  declare roles: Role[];
  declare name: string | null;
  declare createdBy: string;
  declare updatedBy: string;
  declare createdAt: Date;
  declare updatedAt: Date;
}

/** A link that makes whoever uses it first a member. */
export class InvitationModel extends Model {
  static override readonly tableName = 'invitations';
  declare id: string;
  declare organizationId: string;
  declare secretSha256: Buffer;
  declare role: Role;
  /** For whom it is. */
  declare name: string | null;
  declare createdBy: string;
  declare createdAt: Date;
  declare expiresAt: Date;
  declare acceptedBy: string | null;
  declare acceptedAt: Date | null;
}

/** Which module of which organization. */
export interface ModuleKey {
  readonly organizationId: string;
  readonly moduleId: string;
}

/** Whether an import releases its revision at once. */
export type ReleasePolicy = 'immediate' | 'manual';

/** A module, also one that was deleted: its ID stays its owner's. */
export class ModuleModel extends Model {
  static override readonly tableName = 'modules';
  declare id: string;
  declare organizationId: string;
  declare tenantId: string;
  declare scope: string | null;
  /** The revision released to everyone; null: none yet. */
  declare currentRevision: number | null;
  /** The revision written last. */
  declare newestRevision: number;
  /** The revision that the ring sees before everyone; null: there is no ring. */
  declare ringRevision: number | null;
  declare ringOrganizationIds: string[];
  declare ringPercent: number | null;
  /** The staged revisions that have previewers. */
  declare previewedRevisions: number[];
  declare releasePolicy: ReleasePolicy;
  declare withdrawnAt: Date | null;
  declare withdrawnReason: string | null;
  declare deprecatedAt: Date | null;
  declare deprecationMessage: string | null;
  declare successorModuleId: string | null;
  declare quarantinedAt: Date | null;
  declare quarantineReason: string | null;
  declare createdAt: Date;
  declare updatedAt: Date;
  declare deletedAt: Date | null;
  declare deletedBy: string | null;
}

/** What vendor and operators say about a module. */
export type NoticeColumns = Pick<
  ModuleModel,
  | 'withdrawnAt'
  | 'withdrawnReason'
  | 'deprecatedAt'
  | 'deprecationMessage'
  | 'successorModuleId'
  | 'quarantinedAt'
  | 'quarantineReason'
>;

/** One key of an API client; a rotation adds another. */
export class ApiKeyModel extends Model {
  static override readonly tableName = 'api_keys';
  declare id: string;
  declare clientId: string;
  declare organizationId: string;
  declare moduleId: string;
  declare clientName: string;
  declare secretSha256: Buffer;
  declare secretStart: string;
  declare createdAt: Date;
  declare expiresAt: Date;
  declare revokedAt: Date | null;
  declare lastUsedAt: Date | null;
  /** When the vendor was notified that it expires soon; null: not yet. */
  declare expiryReportedAt: Date | null;
}

/** What the audit log records: every change by a person or a trusted publisher, but not the calls of modules' back ends. */
export const AUDIT_ACTIONS = [
  'alert.acknowledged',
  'alertRule.changed',
  'alertRule.created',
  'alertRule.deleted',
  'apiClient.registered',
  'apiClient.revoked',
  'apiClient.rotated',
  'import.accepted',
  'import.cancelled',
  'import.dismissed',
  'import.retried',
  'invitation.accepted',
  'invitation.created',
  'invitation.revoked',
  'installation.changed',
  'installation.created',
  'installation.removed',
  'member.added',
  'member.changed',
  'member.removed',
  'module.changed',
  'module.deleted',
  'module.deprecated',
  'module.exported',
  'module.offered',
  'module.purged',
  'module.quarantineEnded',
  'module.quarantined',
  'module.withdrawn',
  'organization.changed',
  'organization.created',
  'organization.deleted',
  'organization.groupsChanged',
  'revision.deleted',
  'revision.previewersChanged',
  'revision.released',
  'revision.releasedToRing',
  'revision.rolledBack',
  'structures.erased',
  'structures.written',
  'trustedPublishers.changed',
  'trustedPublishing.exchanged',
  'trustedPublishing.refused',
  'webhook.changed',
  'webhook.created',
  'webhook.deleted',
  'webhook.disabled',
  'webhook.replayed',
  'webhook.rotated',
  'webhook.tested',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** What else an entry records, by name. */
export type AuditDetails = Readonly<Record<string, string | number | readonly string[]>>;

/** What somebody did. */
export class AuditEntryModel extends Model {
  static override readonly tableName = 'audit_log';
  static override readonly jsonAttributes = ['details'];
  declare id: string;
  /** Whose log shows the entry. */
  declare organizationId: string;
  declare createdAt: Date;
  declare actor: string;
  declare action: AuditAction;
  declare moduleId: string | null;
  declare clientId: string | null;
  /** The import, alert rule or alert. */
  declare targetId: string | null;
  declare details: AuditDetails | null;
  declare traceId: string;
}

/** A module that a farmer has installed, with the data areas that were accepted. */
export class InstallationModel extends Model {
  static override readonly tableName = 'installations';
  static override readonly idColumn = ['organizationId', 'moduleId'];
  declare organizationId: string;
  declare moduleId: string;
  declare acceptedDataAreaIds: string[];
  /** The SHA-256 of each accepted terms file, in hexadecimal digits. */
  declare acceptedTerms: string[];
  declare offeredDataAreaIds: string[];
  /** The revision that requested them. */
  declare offeredRevision: number;
  /** The revision that is reported to need another consent; null: none. */
  declare pendingRevision: number | null;
  declare createdBy: string;
  declare updatedBy: string;
  declare createdAt: Date;
  declare updatedAt: Date;
}

/** What a farmer consented to, when a module was installed or its access changed. */
export class ConsentModel extends Model {
  static override readonly tableName = 'consents';
  static override readonly jsonAttributes = ['terms'];
  declare id: string;
  declare organizationId: string;
  declare moduleId: string;
  declare revision: number;
  declare dataAreaIds: string[];
  declare terms: readonly ModuleDocument[];
  declare givenBy: string;
  declare traceId: string;
  declare createdAt: Date;
}

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

/** Whether a webhook is called; only the service disables one. */
export type WebhookStatus = 'enabled' | 'paused' | 'disabled';

/** Why the service disabled a webhook: it answered 410, or failed for days. */
export type WebhookDisabledReason = 'gone' | 'failing';

/** An address of a vendor that is called when something changes for a module. */
export class WebhookModel extends Model {
  static override readonly tableName = 'webhooks';
  declare id: string;
  declare organizationId: string;
  declare moduleId: string;
  declare url: string;
  /** Null: all. */
  declare types: string[] | null;
  declare description: string | null;
  /** Whether the changes of one farmer are delivered one after the other. */
  declare ordered: boolean;
  declare status: WebhookStatus;
  declare disabledReason: WebhookDisabledReason | null;
  declare disabledAt: Date | null;
  declare publicKey: string;
  declare sealedKeys: Buffer;
  /** Those before a rotation, which sign too until `previousUntil`. */
  declare previousSealedKeys: Buffer | null;
  declare previousUntil: Date | null;
  declare position: number;
  declare replayAfter: number | null;
  declare replayTo: number | null;
  declare failingSince: Date | null;
  declare lastFailedAt: Date | null;
  declare createdBy: string;
  declare createdAt: Date;
  declare updatedAt: Date;
}

/** One call of a webhook. */
export class WebhookAttemptModel extends Model {
  static override readonly tableName = 'webhook_attempts';
  declare id: string;
  declare webhookId: string;
  declare eventId: string;
  declare type: string;
  declare number: number;
  declare status: number | null;
  declare error: string | null;
  declare durationMs: number;
  declare createdAt: Date;
}
