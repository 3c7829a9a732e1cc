import { decodeJwt } from 'jose';
import type { AuthConfig } from '../../shared/config/identity-config.ts';
import { listMemberships } from '../../shared/db/access/memberships.ts';
import { findOrganization, isDeletedOrganization } from '../../shared/db/access/organizations.ts';
import { openDatabase, type Database } from '../../shared/db/database.ts';
import { databaseProblem } from '../../shared/db/database-problem.ts';
import { finding, trySteps, type Finding, type ProbeStep } from '../../shared/process/probe-step.ts';
import { TokenVerifier, type Principal } from '../auth/access-token.ts';
import { claimAt, type Claims } from '../auth/claims.ts';
import { refusalOf } from '../auth/token-refusal.ts';
import type { Addresses } from './probe-parts.ts';

/** Reads an access token as the API does, and says what it opens, and why not. The token itself is not shown. */
export async function reportToken(
  token: string,
  auth: AuthConfig,
  { issuer, databaseUrl }: Addresses,
): Promise<readonly ProbeStep[]> {
  const expected = { ...auth, issuer };
  const found = await new TokenVerifier(expected)
    .principal(token)
    .catch((error: unknown) => refusalOf(error, token, expected));
  if ('reason' in found) return trySteps({ [found.reason]: () => refused(found) });
  const claims = decodeJwt(token);
  const valid = `of ${found.subject}, accepted until ${found.expiresAt.toISOString()}`;
  return [
    ...(await trySteps({ valid: () => valid, operator: () => operatorFinding(found, claims, auth) })),
    ...(await organizationSteps(found, claims, auth, databaseUrl).catch((error: unknown) =>
      trySteps({ organizations: () => Promise.reject(databaseProblem(error, databaseUrl)) }),
    )),
  ];
}

function refused({ detail, findings }: ReturnType<typeof refusalOf>): Finding {
  const { advice, ...others } = findings;
  const seen = Object.entries(others).map(([name, value]) =>
    typeof value === 'string' ? ` (${name} ${value})` : '',
  );
  return {
    ok: false,
    detail: `${detail}${seen.join('')}`,
    advice: typeof advice === 'string' ? advice : null,
  };
}

/** Nobody has to be an operator: that is not a failure. */
function operatorFinding({ isOperator, subject }: Principal, claims: Claims, auth: AuthConfig): string {
  const { operatorClaim, operatorValue, operators } = auth;
  if (operators.includes(subject)) return 'yes, by AUTH_OPERATORS';
  if (isOperator) return `yes, by the claim ${operatorClaim}`;
  return claimAt(claims, operatorClaim) === undefined
    ? `no: the token has no claim ${operatorClaim} (AUTH_OPERATOR_CLAIM)`
    : `no: the claim ${operatorClaim} does not contain ${operatorValue} (AUTH_OPERATOR_VALUE)`;
}

/** The roles in organizations, and where each is from. */
async function organizationSteps(
  principal: Principal,
  claims: Claims,
  auth: AuthConfig,
  url: string,
): Promise<readonly ProbeStep[]> {
  const database = openDatabase({ url, poolSize: 1 });
  try {
    const grants = [
      ...[...principal.roles].map(([organizationId, roles]) => ({
        ...{ organizationId, roles: [...roles], source: `the claim ${auth.organizationsClaim}` },
      })),
      ...(await listMemberships(database, principal)),
    ];
    if (grants.length === 0) return [{ step: 'organizations', ...nothingOpened(principal, claims, auth) }];
    const steps: ProbeStep[] = [];
    for (const { organizationId, roles, source } of grants) {
      const granted = `${roles.join(' and ')} by ${SOURCES[source] ?? source}`;
      steps.push({ step: organizationId, ...(await organizationFinding(database, organizationId, granted)) });
    }
    return steps;
  } finally {
    await database.destroy();
  }
}

/** What a role in an organization opens. */
async function organizationFinding(database: Database, id: string, granted: string): Promise<Finding> {
  const found = await findOrganization(database, id);
  if (found !== null) {
    const detail = `${granted} in the ${found.kind} ${found.name}`;
    if (found.suspensionReason === null) return finding(true, detail, '');
    const advice = `An operator ends the suspension: DELETE /api/v8.0/operations/organizations/${id}/suspension.`;
    return finding(false, `${detail}, which is suspended: ${found.suspensionReason}`, advice);
  }
  return (await isDeletedOrganization(database, id))
    ? finding(
        false,
        `${granted} in an organization that was deleted`,
        'Let the issuer name another organization.',
      )
    : finding(
        false,
        `${granted} in an organization that does not exist`,
        `An operator creates it: PUT /api/v8.0/organizations/${id}.`,
      );
}

const SOURCES: Readonly<Record<string, string>> = {
  group: 'a group of the claim AUTH_GROUPS_CLAIM',
  member: 'the members kept here',
};

/** An operator needs no organization. */
function nothingOpened({ isOperator, groups }: Principal, claims: Claims, auth: AuthConfig): Finding {
  const { organizationsClaim, groupsClaim } = auth;
  // Entra's overage: a reference to a list elsewhere (OpenID Connect Core, section 5.6.2), or only that there are groups.
  const areLeftOut =
    claimAt(claims, `_claim_names.${groupsClaim}`) !== undefined || claims['hasgroups'] !== undefined;
  const noGroup = areLeftOut
    ? 'The issuer has left its groups out, because the person is in too many.'
    : `It names no group (AUTH_GROUPS_CLAIM is ${groupsClaim}).`;
  const details = [
    'The token opens no organization.',
    claimAt(claims, organizationsClaim) === undefined
      ? `It has no claim ${organizationsClaim} (AUTH_ORGANIZATIONS_CLAIM).`
      : `Its claim ${organizationsClaim} (AUTH_ORGANIZATIONS_CLAIM) is not [{ "id": "…", "roles": ["OrganizationMember"] }].`,
    groups.length === 0 ? noGroup : `No organization maps its groups to a role: ${groups.join(', ')}.`,
    `Its claims: ${Object.keys(claims).join(', ')}.`,
  ];
  return {
    ok: isOperator,
    detail: details.join(' '),
    advice: areLeftOut
      ? 'At Entra choose "Groups assigned to the application" in the groups claim, and assign the groups that are mapped here to the application.'
      : 'Map a group (PUT /api/v8.0/organizations/{orgId}/groups), send an invitation (POST /api/v8.0/{orgId}/invitations), or set the name of the claim.',
  };
}
