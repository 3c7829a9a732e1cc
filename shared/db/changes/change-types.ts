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
  'module.withdrawn': null,
  'module.offered': null,
  'module.deprecated': null,
  'module.deprecationEnded': null,
  'module.quarantined': null,
  'module.quarantineEnded': null,
  'import.ended': null,
  'key.expiring': null,
} as const;

export type ChangeType = keyof typeof CHANGE_TYPES;

/** The types that concern the operator, of all modules. */
export const OPERATOR_TYPES = [
  'alert.acknowledged',
  'module.withdrawn',
  'module.offered',
  'module.deprecated',
  'module.deprecationEnded',
  'module.quarantined',
  'module.quarantineEnded',
  'import.ended',
] as const satisfies readonly ChangeType[];

/** The organizations that see a revision by its release: everyone, or those named and a share of all in percent. */
export interface Audience {
  readonly everyone: boolean;
  readonly organizationIds: readonly string[];
  readonly percent: number | null;
}

/** The IDs of the changed objects; the type determines which ones are present. */
export interface ChangeSubject {
  readonly acceptedDataAreaIds?: readonly string[];
  readonly kinds?: readonly string[];
  /** Null where they are too many. */
  readonly structureIds?: readonly string[] | null;
  readonly ruleId?: string;
  readonly alertId?: string;
  /** Null: the import has made none. */
  readonly revision?: number | null;
  readonly audience?: Audience;
  readonly importId?: string;
  readonly status?: string;
  readonly outcome?: string | null;
  readonly moduleId?: string;
  readonly clientId?: string;
  readonly keyId?: string;
}
