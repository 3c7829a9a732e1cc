import type { Request } from 'express';
import type { Actor } from '../../shared/db/access/audit-log.ts';
import type { Database } from '../../shared/db/database.ts';
import {
  findPublisherToken,
  type PublisherGrant,
  isPublisherToken,
  type PublisherRun,
} from '../../shared/db/access/publisher-tokens.ts';
import type { ModuleKey } from '../../shared/db/modules/models.ts';
import { holds, OF_TOKEN, type Authority } from '../../shared/db/access/authority.ts';
import type { Role } from '../../shared/db/access/role.ts';
import {
  isDeletedOrganization,
  OrganizationDirectory,
  type FoundOrganization,
  type Organization,
  type OrganizationKind,
} from '../../shared/db/access/organizations.ts';
import type { SuspensionColumns } from '../../shared/db/access/suspension-state.ts';
import { pathId } from '../http/request/parameters.ts';
import { ProblemError } from '../http/problem.ts';
import { currentSpan } from '../../shared/telemetry/current-span.ts';
import {
  bearerOf,
  invalidToken,
  type AccessTokens,
  type Principal,
  type SignedInPerson,
} from './access-token.ts';
import type { Roles } from './claims.ts';
import { RecentReads } from '../http/limits/shared-reads.ts';
import { Memberships, type GrantedRoles } from './memberships.ts';
import type { SeenPeople } from './seen-people.ts';

/** A caller with the organization that the path names. */
export interface OrganizationAccess {
  readonly principal: Principal;
  readonly organization: Organization;
  /** What each effect of the request checks again. */
  readonly authority: Authority;
  /** Only of a trusted publisher: what its access token grants. */
  readonly publisher?: PublisherGrant;
}

/** A caller who may administer the organization that the path names. */
export interface Administration extends OrganizationAccess {
  /** Whether they still may, whatever becomes of the members that are kept here. */
  readonly staysAdministrator: boolean;
}

/** A caller in an organization, as recorded in the audit log. */
export function actorOf({
  principal: { subject, name },
  authority,
}: Pick<OrganizationAccess, 'principal' | 'authority'>): Actor {
  return { subject, actorName: name, traceId: currentSpan().traceId, authority };
}

/** A caller whose token alone says what they may do, such as an operator. */
export function tokenActor(principal: Principal): Actor {
  return actorOf({ principal, authority: OF_TOKEN });
}

/** The key of the module that a path names, in the caller's organization. */
export function moduleKey(
  { organization }: Pick<OrganizationAccess, 'organization'>,
  { moduleId }: { readonly moduleId: string },
): ModuleKey {
  return { organizationId: organization.id, moduleId };
}

/** What a trusted publisher may do does not follow from claims. */
const NOBODY = {
  ...{ name: null, address: null, isOperator: false },
  ...{ roles: new Map<string, ReadonlySet<Role>>(), groups: [] },
};

/** Authorizes callers: checks the token, then membership and role, then that the organization exists. */
export class Access {
  readonly #database: Database;
  readonly #tokens: AccessTokens;
  readonly #organizations: OrganizationDirectory;
  readonly #memberships: Memberships;
  readonly #held = new RecentReads<Authority>();
  readonly #seenPeople: Pick<SeenPeople, 'note'>;

  constructor(tokens: AccessTokens, database: Database, seenPeople: Pick<SeenPeople, 'note'>) {
    this.#database = database;
    this.#tokens = tokens;
    this.#seenPeople = seenPeople;
    this.#organizations = new OrganizationDirectory(database);
    this.#memberships = new Memberships(database);
  }

  /** Any caller with a valid token. */
  async anyone(request: Request): Promise<Principal> {
    return this.#tokens.authenticate(request);
  }

  /** An operator; other callers are refused with 403. */
  async operator(request: Request): Promise<Principal> {
    const principal = await this.#tokens.authenticate(request);
    if (principal.isOperator) return principal;
    throw new ProblemError(
      'auth-forbidden',
      'Only operators can call this: the token must name its subject an operator, by default with operator in its claim roles.',
    );
  }

  /** Has the request of a session made in the person's name and with their address, where its access token has none. */
  keepPerson(request: Request, person: SignedInPerson): void {
    this.#tokens.keepPerson(request, person);
  }

  /** The caller of a token. */
  async byToken(token: string): Promise<Principal> {
    return this.#tokens.verify(token);
  }

  /**
   * The trusted publisher whose access token the request has, in the organization `orgId` of the path; null where it has
   * no such token. The token is read each time: it ends when its publisher is removed.
   */
  async publisher(request: Request): Promise<OrganizationAccess | null> {
    const token = bearerOf(request);
    if (token === null || !isPublisherToken(token)) return null;
    const organizationId = pathId(request, 'orgId');
    const publisher = await findPublisherToken(this.#database, token);
    if (publisher === null) throw invalidToken('The access token has expired, or its publisher was removed.');
    if (publisher.organizationId !== organizationId)
      throw new ProblemError('auth-forbidden', 'The token is of a module of another organization.');
    requireNotSuspended(publisher);
    const { tenantId, expiresAt } = publisher;
    const principal = { ...NOBODY, issuer: publisher.issuer, subject: publisherActor(publisher), expiresAt };
    const authority = { kind: 'publisher', publisherId: publisher.publisherId } as const;
    return {
      principal,
      organization: { id: organizationId, tenantId, kind: 'vendor' },
      authority,
      publisher,
    };
  }

  /** A member of the organization `orgId` of the path, with the role and of the kind that the call needs. */
  async organization(request: Request, role: Role, kind?: OrganizationKind): Promise<OrganizationAccess> {
    const principal = await this.#tokens.authenticate(request);
    const organizationId = pathId(request, 'orgId');
    const { authority } = await this.#requireRole(principal, organizationId, role);
    const organization = await this.#existing(organizationId);
    requireNotSuspended(organization);
    this.#seenPeople.note(principal, organizationId);
    if (kind !== undefined && organization.kind !== kind) {
      throw new ProblemError(
        'auth-forbidden',
        `Only ${kind} organizations can be used here; this is a ${organization.kind}.`,
      );
    }
    return { principal, organization, authority };
  }

  /** An administrator of the organization `orgId` of the path, or an operator, for whom it may be suspended. */
  async administration(request: Request): Promise<Administration> {
    const principal = await this.#tokens.authenticate(request);
    const organizationId = pathId(request, 'orgId');
    const granted = principal.isOperator
      ? null
      : await this.#requireRole(principal, organizationId, 'OrganizationAdmin');
    const organization = await this.#existing(organizationId);
    if (granted !== null) {
      requireNotSuspended(organization);
      this.#seenPeople.note(principal, organizationId);
    }
    return {
      principal,
      organization,
      staysAdministrator: granted?.staysAdministrator ?? true,
      authority: granted?.authority ?? { kind: 'operator', organizationId },
    };
  }

  /** The caller's roles by organization, from every source. */
  async rolesOf(principal: Principal): Promise<Roles> {
    return this.#memberships.rolesOf(principal);
  }

  /** Whether an authority holds, for answers that take long: read at most twice a second. */
  async holds(authority: Authority): Promise<boolean> {
    if (authority.kind === 'token' && authority.organizationId === undefined) return true;
    const read = async () => ((await holds(this.#database, authority)) ? authority : null);
    return (await this.#held.find(JSON.stringify(authority), read)) !== null;
  }

  async #requireRole(principal: Principal, organizationId: string, role: Role): Promise<GrantedRoles> {
    const granted = await this.#memberships.rolesIn(principal, organizationId, role);
    if (granted === null)
      throw new ProblemError('auth-forbidden', 'The token has no membership in this organization.');
    if (granted.roles.has('OrganizationAdmin') || granted.roles.has(role)) return granted;
    throw new ProblemError('auth-forbidden', `The request needs the role ${role} in this organization.`);
  }

  async #existing(organizationId: string): Promise<FoundOrganization> {
    const organization = await this.#organizations.find(organizationId);
    if (organization !== null) return organization;
    const advice = (await isDeletedOrganization(this.#database, organizationId))
      ? 'It was deleted: let the issuer of the token name another organization.'
      : `Ask an operator to create the organization ${organizationId}.`;
    throw new ProblemError('not-found', `There is no such organization. ${advice}`);
  }
}

/**
 * Refuses calls in an organization, or with a key of one, that an operator has suspended. The caller has proven to be of
 * the organization, and so may read the reason.
 * @throws ProblemError 403
 */
export function requireNotSuspended({ suspensionReason }: Pick<SuspensionColumns, 'suspensionReason'>): void {
  if (suspensionReason !== null)
    throw new ProblemError('organization-suspended', `The organization is suspended: ${suspensionReason}`);
}

/**
 * A trusted publisher as the actor of an import or of an entry in the audit log: issuer, repository and commit, such as
 * `trusted-publisher token.actions.githubusercontent.com/acme/soil@4f2a91c`.
 */
export function publisherActor({ issuer, repository, subject, commit }: PublisherRun): string {
  const source = repository ?? subject;
  const from = source === null ? '' : `/${source}`;
  return `trusted-publisher ${new URL(issuer).host}${from}${commit === null ? '' : `@${commit}`}`;
}
