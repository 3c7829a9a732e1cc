import type { ClaimValue, TrustedPublisher } from '../../shared/db/access/trusted-publishers.ts';
import type { OutboundConfig } from '../../shared/config/identity-config.ts';
import { AddressRefusedError, requireCallable } from '../../shared/outbound/outbound-url.ts';
import type { BodyIssue } from '../http/request/validate-body.ts';

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

/** What is wrong with a list of publishers beyond its schema. */
export function issuesOfPublishers(
  publishers: readonly TrustedPublisher[],
  outbound: OutboundConfig,
): readonly BodyIssue[] {
  return publishers.flatMap(({ issuer, claims }, index) => {
    const pointer = `/items/${index}`;
    const issue = issuerIssue(issuer, outbound);
    return [
      ...(issue === null ? [] : [{ pointer: `${pointer}/issuer`, detail: issue }]),
      ...claimIssues(claims).map((detail) => ({ pointer: `${pointer}/claims`, detail })),
    ];
  });
}

function issuerIssue(issuer: string, outbound: OutboundConfig): string | null {
  const { trustedIssuers } = outbound;
  if (trustedIssuers.length > 0 && !trustedIssuers.includes(issuer))
    return `The operator allows only these issuers: ${trustedIssuers.join(', ')}.`;
  try {
    const url = requireCallable(issuer, outbound);
    // Tokens are compared with this text: one that a URL is never written as would match none.
    if (url.search === '' && url.hash === '' && [url.href, url.href.replace(/\/$/, '')].includes(issuer))
      return null;
    return `The issuer must be an address without query and fragment, in its normal form, such as ${url.origin}.`;
  } catch (error) {
    if (!(error instanceof AddressRefusedError)) throw error;
    return `The issuer cannot be used: ${error.message}.`;
  }
}

function claimIssues(claims: TrustedPublisher['claims']): string[] {
  const names = Object.keys(claims);
  const checked = names.filter((name) => CHECKED_CLAIMS.includes(name));
  const isIdentified = names.some((name) => IDENTIFYING_CLAIMS.includes(name) && identifies(claims[name]));
  return [
    ...checked.map((name) => `The claim ${name} is checked anyway. Leave it out.`),
    ...(isIdentified
      ? []
      : [
          `At least one claim must identify a repository: ${IDENTIFYING_CLAIMS.join(', ')}. ` +
            'Otherwise everyone with a token of the issuer could import the module.',
        ]),
  ];
}

function identifies(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
}
