/** The types of changes, with the data area that a back end needs to be notified; null: none. */
export const CHANGE_TYPES = {
  'installation.created': null,
  'installation.changed': null,
  'installation.removed': null,
  'consent.pending': null,
  'structures.changed': 'FarmOrganization',
  'structures.erased': 'FarmOrganization',
  'rule.created': 'FarmOrganizationAlerts',
  'rule.changed': 'FarmOrganizationAlerts',
  'rule.outdated': 'FarmOrganizationAlerts',
  'rule.deleted': 'FarmOrganizationAlerts',
  'alert.acknowledged': 'FarmOrganizationAlerts',
  'revision.staged': null,
  'revision.released': null,
  'revision.rolledBack': null,
  'revision.withdrawn': null,
  'module.quarantined': null,
  'key.expiring': null,
} as const;

export type ChangeType = keyof typeof CHANGE_TYPES;

/** The IDs of the changed objects; the type determines which ones are present. */
export interface ChangeSubject {
  readonly acceptedDataAreaIds?: readonly string[];
  readonly kinds?: readonly string[];
  /** Null where they are too many. */
  readonly structureIds?: readonly string[] | null;
  readonly ruleId?: string;
  readonly alertId?: string;
  readonly revision?: number;
  readonly clientId?: string;
  readonly keyId?: string;
}
