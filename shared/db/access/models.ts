import type { ModuleDocument } from '../../package/documents/applicable-documents.ts';
import { modelOf } from '../rows.ts';
import type { Role } from './role.ts';

/** Vendors offer modules, farmers install them. */
export type OrganizationKind = 'vendor' | 'farmer';

export class OrganizationModel extends modelOf('organizations') {
  declare kind: OrganizationKind;
}

/** A person who is a member of an organization by a record of this service. */
export class MemberModel extends modelOf('members') {
  declare roles: Role[];
}

/** A person who may act for an organization: by a record of this service, by the issuer, or by both. */
export class ListedMemberModel extends MemberModel {
  declare identityProviderRoles: Role[];
  declare lastSeenAt: Date | null;
}

/** A link that makes whoever uses it first a member. */
export class InvitationModel extends modelOf('invitations') {
  declare role: Role;
}

/** One key of an API client; a rotation adds another. */
export class ApiKeyModel extends modelOf('api_keys') {}

/** A request with an API key. */
export class KeyRequestModel extends modelOf('key_requests') {}

/** What modules' back ends read of an organization. */
export const DATA_READ_KINDS = ['structures', 'alertRules', 'changes', 'installations'] as const;

export type DataReadKind = (typeof DATA_READ_KINDS)[number];

/** That a module has read something of an organization on a day. */
export class DataReadModel extends modelOf('data_reads') {
  declare kind: DataReadKind;
}

/** The recorded actions: every change by a person or a trusted publisher, but not the calls of modules' back ends. */
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
  'module.deprecationEnded',
  'module.exported',
  'module.offered',
  'module.purged',
  'module.quarantineEnded',
  'module.quarantined',
  'module.reported',
  'module.scopeChanged',
  'module.scopeFreed',
  'module.withdrawn',
  'organization.changed',
  'organization.created',
  'organization.deleted',
  'organization.exported',
  'organization.groupsChanged',
  'organization.limitsChanged',
  'organization.suspended',
  'organization.suspensionEnded',
  'report.dismissed',
  'report.upheld',
  'review.answered',
  'revision.approved',
  'revision.declined',
  'revision.deleted',
  'revision.previewersChanged',
  'revision.released',
  'revision.releasedToRing',
  'revision.reviewRequested',
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
  'webhook.resent',
  'webhook.rotated',
  'webhook.tested',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The further details of an entry, by name. */
export type AuditDetails = Readonly<Record<string, string | number | readonly string[]>>;

export class AuditEntryModel extends modelOf('audit_log') {
  static override readonly jsonAttributes = ['details'];
  declare action: AuditAction;
  declare details: AuditDetails | null;
}

/** A module that a farmer has installed, with the data areas that were accepted. */
export class InstallationModel extends modelOf('installations') {
  static override readonly idColumn = ['organizationId', 'moduleId'];
}

/** What a farmer consented to, when a module was installed or its access changed. */
export class ConsentModel extends modelOf('consents') {
  static override readonly jsonAttributes = ['terms'];
  declare terms: readonly ModuleDocument[];
}
