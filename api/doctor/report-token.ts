import { decodeJwt } from 'jose';
import type { AuthConfig } from '../../shared/config/identity-config.ts';
import type { CheckedSettings } from '../../shared/config/check-settings.ts';
import { listMemberships } from '../../shared/db/access/memberships.ts';
import { findOrganizations } from '../../shared/db/access/organizations.ts';
import type { Role } from '../../shared/db/access/role.ts';
import { type Database, openDatabase } from '../../shared/db/database.ts';
import { databaseProblem } from '../../shared/db/database-problem.ts';
import type { ProbeStep } from '../../shared/process/probe-step.ts';
import { TokenVerifier, type Principal } from '../auth/access-token.ts';
import { claimAt, type Claims } from '../auth/claims.ts';
import { refusalOf } from '../auth/token-refusal.ts';
import type { PartReport } from './probe-parts.ts';

/** A role in an organization, and where it is from. */
interface Grant {
  readonly organizationId: string;
  readonly roles: readonly Role[];
  readonly source: string;
}

/** Reads an access token as the API does, and says what it opens, and why not. The token itself is not shown. */
export async function reportToken(
  token: string,
  { config }: CheckedSettings,
): Promise<readonly PartReport[]> {
  const { auth, database } = config;
  const { issuer } = auth;
  if (issuer === null) return [{ part: 'token', steps: [NO_ISSUER] }];
  const verifier = new TokenVerifier({ ...auth, issuer });
  const found = await verifier.principal(token).catch((error: unknown) => {
    return refusedStep(refusalOf(error, token, { issuer, audience: auth.audience }));
  });
  if ('step' in found) return [{ part: 'token', steps: [found] }];
  const valid = `of ${found.subject}, accepted until ${found.expiresAt.toISOString()}`;
  const claims = decodeJwt(token);
  return [
    { part: 'token', steps: [worked('valid', valid)] },
    {
      part: 'rights',
      steps: [
        worked('operator', operatorFinding(found, claims, auth)),
        ...(await organizationSteps(found, claims, auth, database.url)),
      ],
    },
  ];
}

function worked(step: string, detail: string): ProbeStep {
  return { step, ok: true, detail, advice: null };
}

const NO_ISSUER: ProbeStep = {
  step: 'issuer',
  ok: false,
  detail: 'AUTH_ISSUER is not set.',
  advice: 'Run this with the settings of the API.',
};

function refusedStep({ reason, detail, findings }: ReturnType<typeof refusalOf>): ProbeStep {
  const { advice } = findings;
  const seen = Object.entries(findings).flatMap(([name, value]) =>
    name === 'advice' || typeof value !== 'string' ? [] : [`${name} ${value}`],
  );
  return {
    step: reason,
    ok: false,
    detail: [detail, ...(seen.length === 0 ? [] : [`(${seen.join(', ')})`])].join(' '),
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

async function organizationSteps(
  principal: Principal,
  claims: Claims,
  auth: AuthConfig,
  url: string | null,
): Promise<readonly ProbeStep[]> {
  if (url === null)
    return [
      {
        step: 'organizations',
        ok: false,
        detail: 'DATABASE_URL is not set, so only the claims can be read.',
        advice: 'Run this with the settings of the API.',
      },
    ];
  const database = openDatabase({ url, poolSize: 1 });
  try {
    const grants = await grantsOf(database, principal, auth);
    return grants.length > 0
      ? await grantSteps(database, grants)
      : [{ step: 'organizations', ...nothingFound(principal, claims, auth) }];
  } catch (error) {
    const { problem, advice } = databaseProblem(error, url);
    return [{ step: 'organizations', ok: false, detail: problem, advice }];
  } finally {
    await database.destroy();
  }
}

async function grantsOf(
  database: Database,
  principal: Principal,
  { organizationsClaim, groupsClaim }: AuthConfig,
): Promise<readonly Grant[]> {
  const claimed = [...principal.roles].map(([organizationId, roles]) => ({
    organizationId,
    roles: [...roles],
    source: `the claim ${organizationsClaim}`,
  }));
  const kept = (await listMemberships(database, principal)).map(({ organizationId, roles, source }) => ({
    organizationId,
    roles,
    source: source === 'group' ? `a group of the claim ${groupsClaim}` : 'the members kept here',
  }));
  return [...claimed, ...kept];
}

async function grantSteps(database: Database, grants: readonly Grant[]): Promise<readonly ProbeStep[]> {
  const ids = grants.map(({ organizationId }) => organizationId);
  const existing = new Map((await findOrganizations(database, ids)).map((each) => [each.id, each]));
  return grants.map(({ organizationId, roles, source }) => {
    const organization = existing.get(organizationId);
    const granted = `${roles.join(' and ')} by ${source}`;
    return organization === undefined
      ? {
          step: organizationId,
          ok: false,
          detail: `${granted}, but there is no such organization.`,
          advice: `An operator creates it: PUT /api/v8.0/organizations/${organizationId}.`,
        }
      : worked(organizationId, `${granted} in the ${organization.kind} ${organization.name}`);
  });
}

const TOO_MANY_GROUPS = {
  detail:
    'The token opens no organization. The issuer has left its groups out, because the person is in too many.',
  advice:
    'At Entra choose "Groups assigned to the application" in the groups claim, and assign the groups that are mapped here to the application.',
};

/** Entra's overage: a reference to a list elsewhere (OpenID Connect Core, section 5.6.2), or only that there are groups. */
function leavesGroupsOut(claims: Claims, groupsClaim: string): boolean {
  return claimAt(claims, `_claim_names.${groupsClaim}`) !== undefined || claims['hasgroups'] !== undefined;
}

/** An operator needs no organization. */
function nothingFound(
  { isOperator, groups }: Principal,
  claims: Claims,
  auth: AuthConfig,
): Omit<ProbeStep, 'step'> {
  const { organizationsClaim, groupsClaim } = auth;
  const names = Object.keys(claims).join(', ');
  if (groups.length === 0 && leavesGroupsOut(claims, groupsClaim))
    return { ok: isOperator, ...TOO_MANY_GROUPS };
  const detail = [
    'The token opens no organization.',
    claimAt(claims, organizationsClaim) === undefined
      ? `It has no claim ${organizationsClaim} (AUTH_ORGANIZATIONS_CLAIM).`
      : `Its claim ${organizationsClaim} (AUTH_ORGANIZATIONS_CLAIM) is not [{ "id": "…", "roles": ["OrganizationMember"] }].`,
    groups.length === 0
      ? `It names no group (AUTH_GROUPS_CLAIM is ${groupsClaim}).`
      : `No organization maps its groups to a role: ${groups.join(', ')}.`,
    `Its claims: ${names}.`,
  ].join(' ');
  const advice =
    'Map a group (PUT /api/v8.0/organizations/{orgId}/groups), send an invitation (POST /api/v8.0/{orgId}/invitations), or set the name of the claim.';
  return { ok: isOperator, detail, advice };
}
