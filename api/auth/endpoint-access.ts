import type { Request, Response } from 'express';
import { authorityOfKey, type Authority } from '../../shared/db/access/authority.ts';
import type { OrganizationKind } from '../../shared/db/access/organizations.ts';
import type { Role } from '../../shared/db/access/role.ts';
import type { ApiContext } from '../context.ts';
import type { RequestProblemCode } from '../http/request-problem-codes.ts';
import type { ApiKeyGrant } from '../../shared/db/access/api-keys.ts';
import { declaresDataArea } from '../../shared/db/access/module-grants.ts';
import {
  dataAreaRefusal,
  keyCaller,
  machineCaller,
  type DataArea,
  type MachineCaller,
} from '../machine-access/caller.ts';
import type { Administration, OrganizationAccess } from './access.ts';
import type { Principal } from './access-token.ts';

/** The callers that an endpoint accepts, and how they are authorized. */
export interface EndpointAccess<Caller> {
  /** The required credential or role, for the OpenAPI document. */
  readonly needs: string;
  /** The security scheme in the OpenAPI document; null: none. */
  readonly scheme: 'bearer' | 'apiKey' | null;
  readonly problems: readonly RequestProblemCode[];
  /** Headers that every answer may have. */
  readonly headers?: readonly string[];
  /** Whether the endpoint also answers while the process shuts down. */
  readonly isProbe?: true;
  /** The number of the owner's requests that a call counts as; without it, its requests are not limited. */
  readonly requestCost?: number;
  /** @throws ProblemError if the caller is refused. */
  authorize(api: ApiContext, request: Request, response: Response): Promise<Caller> | Caller;
  /** The owner whose share of scarce things the call uses; without it, the client's address. */
  ownerOf?(caller: Caller): string;
}

/** The access of callers that act for an organization, their owner. */
export interface OrganizationsAccess<Caller> extends EndpointAccess<Caller> {
  ownerOf(caller: Caller): string;
  /** What each effect of the request checks again. */
  authorityOf(caller: Caller): Authority;
}

/** Limits of the caller and what is left of them. */
export const RATE_HEADERS = ['RateLimit-Policy', 'RateLimit'] as const;

const TOKEN_PROBLEMS = ['auth-token-invalid', 'rate-limited', 'unavailable'] as const;

const MEMBER_PROBLEMS = [
  ...TOKEN_PROBLEMS,
  'auth-forbidden',
  'not-found',
  'organization-suspended',
  'request-invalid',
] as const;

/** Probes of the process, also while it shuts down. */
export const probe: EndpointAccess<undefined> = {
  needs: 'No authentication. Also answered during shutdown.',
  scheme: null,
  problems: [],
  isProbe: true,
  authorize: () => undefined,
  ownerOf: () => '',
};

/** Anyone. */
export const anyone: EndpointAccess<undefined> = {
  needs: 'No authentication.',
  scheme: null,
  // During shutdown a process refuses every request.
  problems: ['unavailable'],
  authorize: () => undefined,
};

/** Anyone with a valid token. */
export const anyToken: EndpointAccess<Principal> = {
  needs: 'Needs a valid token.',
  scheme: 'bearer',
  problems: TOKEN_PROBLEMS,
  headers: RATE_HEADERS,
  requestCost: 1,
  authorize: (api, request) => api.access.anyone(request),
  ownerOf: ({ subject }) => `subject ${subject}`,
};

/** An operator. */
export const operator: EndpointAccess<Principal> = {
  needs: 'Needs the token of an operator: by default, with `operator` in the claim `roles`.',
  scheme: 'bearer',
  problems: [...TOKEN_PROBLEMS, 'auth-forbidden'],
  authorize: (api, request) => api.access.operator(request),
  ownerOf: ({ subject }) => `subject ${subject}`,
};

function organizationAccess(
  kind: OrganizationKind | undefined,
  role: Role,
): OrganizationsAccess<OrganizationAccess> {
  return {
    needs: `Needs the role \`${role}\` in ${kind === undefined ? 'the' : `a ${kind}`} organization.`,
    scheme: 'bearer',
    problems: MEMBER_PROBLEMS,
    headers: RATE_HEADERS,
    requestCost: 1,
    authorize: (api, request) => api.access.organization(request, role, kind),
    ownerOf: ({ organization }) => organization.id,
    authorityOf: ({ authority }) => authority,
  };
}

export const member = organizationAccess(undefined, 'OrganizationMember');
export const vendorMember = organizationAccess('vendor', 'OrganizationMember');
export const vendorAdmin = organizationAccess('vendor', 'OrganizationAdmin');
export const farmerMember = organizationAccess('farmer', 'OrganizationMember');
export const farmerAdmin = organizationAccess('farmer', 'OrganizationAdmin');

/** An administrator of the organization, or an operator. */
export const adminOrOperator: OrganizationsAccess<Administration> = {
  needs: 'Needs the role `OrganizationAdmin` in the organization, or the token of an operator.',
  scheme: 'bearer',
  problems: MEMBER_PROBLEMS,
  headers: RATE_HEADERS,
  requestCost: 1,
  authorize: (api, request) => api.access.administration(request),
  ownerOf: ({ organization }) => organization.id,
  authorityOf: ({ authority }) => authority,
};

/** The same, or a trusted publisher of one of the organization's modules. What it may do there, the handler decides. */
function orPublisher(access: EndpointAccess<OrganizationAccess>): EndpointAccess<OrganizationAccess> {
  return {
    ...access,
    needs: `${access.needs.replace(/\.$/, '')}, or the access token of a trusted publisher.`,
    authorize: async (api, request, response) =>
      (await api.access.publisher(request)) ?? access.authorize(api, request, response),
  };
}

export const vendorMemberOrPublisher = orPublisher(vendorMember);
export const vendorAdminOrPublisher = orPublisher(vendorAdmin);

/** A module's back end with its API key. */
export const apiKey: OrganizationsAccess<ApiKeyGrant> = {
  needs: 'Needs an API key of the module.',
  scheme: 'apiKey',
  problems: [
    'auth-api-key-invalid',
    'auth-forbidden',
    'module-quarantined',
    'organization-suspended',
    'rate-limited',
    'request-invalid',
    'unavailable',
  ],
  headers: RATE_HEADERS.map((name) => `${name}?`),
  // Keys have rates of their own.
  requestCost: 0,
  authorize: (api, request, response) => keyCaller(api, request, response),
  ownerOf: ({ organizationId }) => organizationId,
  authorityOf: authorityOfKey,
};

/** A module's back end with its API key, whose module declares the data area. */
export function apiKeyFor(dataArea: DataArea): OrganizationsAccess<MachineCaller> {
  return {
    ...apiKey,
    needs: 'Needs an API key of the module; the module must declare the data area.',
    problems: [...apiKey.problems, 'auth-data-area-missing'],
    authorize: (api, request, response) => machineCaller(api, request, response, dataArea),
  };
}

const alertsKey = apiKeyFor('FarmOrganizationAlerts');

/** A key of a module that declares the data area of alerts. */
export const alertsAccess: OrganizationsAccess<MachineCaller> = {
  ...alertsKey,
  async authorize(api, request, response) {
    const caller = await alertsKey.authorize(api, request, response);
    if (await declaresDataArea(api.database, caller.moduleId, caller.dataAreaId)) return caller;
    throw await dataAreaRefusal(api, caller, 'FarmOrganizationAlerts');
  },
};
