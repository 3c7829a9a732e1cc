import type { components } from '../../shared/client/openapi-types.ts';

/** An organization of the signed-in person. */
export type SessionOrganization = Pick<components['schemas']['Organization'], 'id' | 'kind' | 'name'> & {
  readonly isAdmin: boolean;
};

/** The answer of `/portal/session`: the person who is signed in. */
export interface SessionAnswer {
  readonly id: string;
  readonly subject: string;
  readonly name: string;
  readonly isOperator: boolean;
  readonly expiresAt: string;
  readonly organizations: readonly SessionOrganization[];
  /** In which the person has a role, but which no operator has created. */
  readonly missingOrganizationIds: readonly string[];
}

/** The answer to a sign-out. */
export interface SignOutAnswer {
  /** Where the browser signs out at the issuer; it returns to the portal from there. */
  readonly continueAt: string;
}
