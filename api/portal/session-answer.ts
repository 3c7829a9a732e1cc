import type { components } from '../../shared/client/openapi-types.ts';

/** An organization of the signed-in person. */
export type SessionOrganization = Pick<components['schemas']['Organization'], 'id' | 'kind' | 'name'> & {
  readonly isAdmin: boolean;
};

/** Who is signed in: the answer of `/portal/session`. */
export interface SessionAnswer {
  readonly subject: string;
  readonly name: string;
  readonly isOperator: boolean;
  readonly expiresAt: string;
  readonly organizations: readonly SessionOrganization[];
}
