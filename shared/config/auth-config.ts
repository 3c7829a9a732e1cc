import type { SettingsReader } from './settings-reader.ts';

/** Which claims of an access token are read, each by its name or by a path with dots. */
export interface ClaimConfig {
  /** Lists organizations with roles. */
  readonly organizationsClaim: string;
  /** Lists groups, which organizations map to roles. */
  readonly groupsClaim: string;
  /** Makes its subject an operator where it contains `operatorValue`. */
  readonly operatorClaim: string;
  readonly operatorValue: string;
  /** Subjects that are operators whatever their claims. */
  readonly operators: readonly string[];
}

/** Whose access tokens are accepted, and what is read from them. */
export interface AuthConfig extends ClaimConfig {
  readonly issuer: string | null;
  readonly audience: string;
}

/** Reads whose access tokens are accepted. */
export function readAuth(read: SettingsReader): AuthConfig {
  return {
    issuer: read.url('AUTH_ISSUER', ['http:', 'https:']),
    audience: read.text('AUTH_AUDIENCE', 'module-import-service'),
    organizationsClaim: read.text('AUTH_ORGANIZATIONS_CLAIM', 'organizations'),
    groupsClaim: read.text('AUTH_GROUPS_CLAIM', 'groups'),
    operatorClaim: read.text('AUTH_OPERATOR_CLAIM', 'roles'),
    operatorValue: read.text('AUTH_OPERATOR_VALUE', 'operator'),
    operators: read.list('AUTH_OPERATORS'),
  };
}
