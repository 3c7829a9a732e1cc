import type { ProviderRequest } from './identity-provider.ts';

/** For every client. */
export const SECRET = 'a-secret-of-the-test';

function mapper(name: string, protocolMapper: string, config: Readonly<Record<string, string>>) {
  return {
    name,
    protocol: 'openid-connect',
    protocolMapper,
    config: { 'access.token.claim': 'true', ...config },
  };
}

function audienceMapper(audience: string) {
  return mapper('audience', 'oidc-audience-mapper', { 'included.custom.audience': audience });
}

function person(username: string, members: object) {
  return {
    username,
    enabled: true,
    email: `${username}@example.com`,
    emailVerified: true,
    firstName: username,
    lastName: 'Example',
    credentials: [{ type: 'password', value: username, temporary: false }],
    ...members,
  };
}

function program(clientId: string, audience: string) {
  return {
    clientId,
    secret: SECRET,
    serviceAccountsEnabled: true,
    standardFlowEnabled: false,
    protocolMappers: [audienceMapper(audience)],
  };
}

function portal({ serviceUrl, audience }: ProviderRequest) {
  return {
    clientId: 'portal',
    secret: SECRET,
    redirectUris: [`${serviceUrl}/portal/sign-in/callback`],
    attributes: {
      'pkce.code.challenge.method': 'S256',
      'post.logout.redirect.uris': `${serviceUrl}/portal`,
      'backchannel.logout.url': `${serviceUrl}/portal/sign-in/back-channel-logout`,
      'backchannel.logout.session.required': 'true',
    },
    protocolMappers: [
      audienceMapper(audience),
      mapper('organizations', 'oidc-usermodel-attribute-mapper', {
        'user.attribute': 'organizations',
        'claim.name': 'organizations',
        'jsonType.label': 'JSON',
      }),
      mapper('groups', 'oidc-group-membership-mapper', { 'claim.name': 'groups', 'full.path': 'true' }),
    ],
  };
}

/** A realm as an operator configures it: refresh tokens are rotated, everything else is Keycloak's default. */
export function farmRealm(request: ProviderRequest): object {
  const organizations = JSON.stringify([{ id: request.organizationId, roles: ['OrganizationAdmin'] }]);
  return {
    realm: 'farm',
    enabled: true,
    revokeRefreshToken: true,
    refreshTokenMaxReuse: 0,
    roles: { realm: [{ name: 'operator' }] },
    groups: [{ name: request.group }],
    clients: [
      portal(request),
      program('program', request.audience),
      program('other', 'https://other.example'),
    ],
    users: [
      person('vera', { attributes: { organizations: [organizations] } }),
      person('otto', { realmRoles: ['operator'] }),
      person('greta', { groups: [`/${request.group}`] }),
    ],
  };
}
