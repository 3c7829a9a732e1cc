/** A role that a module adds to the platform's own. */
export interface CustomRole {
  readonly name: string;
  readonly entityType: string | null;
  readonly baseRoles: readonly string[];
  /** Entity name → what the role may do with it. */
  readonly permissions: Readonly<Record<string, readonly string[]>>;
}

/** A kind of data that a module adds. */
export interface CustomData {
  readonly name: string;
  readonly entityType: string | null;
  readonly intention: string;
  readonly internalOnly: boolean | null;
  readonly environmentKey: string | null;
}

/** The roles and entities file in its normal form: every member present. */
export interface RolesEntities {
  readonly roles: readonly CustomRole[];
  readonly data: readonly CustomData[];
}
