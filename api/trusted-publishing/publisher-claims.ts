import type { ClaimValue, TrustedPublisher } from '../../shared/db/access/trusted-publishers.ts';

/** Claims that identify a repository; a publisher has at least one. IDs are better: names can be given to others. */
export const IDENTIFYING_CLAIMS: readonly string[] = [
  'repository_id',
  'project_id',
  'repository',
  'project_path',
  'sub',
];

/** Claims that are checked anyway, by rules of their own. */
export const CHECKED_CLAIMS: readonly string[] = ['iss', 'aud', 'exp', 'nbf', 'iat', 'jti'];

type Payload = Readonly<Record<string, unknown>>;

/** The claims in which a token differs from a publisher. */
export function differingClaims({ audience, claims }: TrustedPublisher, payload: Payload): string[] {
  const differing = Object.entries(claims).filter(([name, value]) => !hasClaim(payload, name, value));
  // A list of audiences is refused, even if it contains the publisher's: the others could use the token too.
  return [...(payload['aud'] === audience ? [] : ['aud']), ...differing.map(([name]) => name)];
}

/**
 * Whether a token has this value as a claim: of the same JSON type, and equal. So "1" is not 1 and "true" is not true. A
 * number outside the integers that JSON carries exactly is equal to none: it may have been rounded.
 */
export function hasClaim(payload: Payload, name: string, value: ClaimValue): boolean {
  if (!Object.hasOwn(payload, name) || payload[name] !== value) return false;
  return typeof value !== 'number' || Number.isSafeInteger(value);
}
