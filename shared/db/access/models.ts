import { Model } from 'objection';
import type { ModuleDocument } from '../../package/documents/applicable-documents.ts';
import type { Role } from './role.ts';

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
  'import.refused',
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
  /** The organization whose log shows the entry. */
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
