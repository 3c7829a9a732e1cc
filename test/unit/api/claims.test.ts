import { describe, expect, test } from 'vitest';
import { claimAt, readIdentity, type Claims } from '../../../api/auth/claims.ts';
import { readAuth } from '../../../shared/config/identity-config.ts';
import { SettingsReader } from '../../../shared/config/settings-reader.ts';

const ACME = 'a1c0ffee-0000-4000-8000-000000000001';
const FARM = 'a1c0ffee-0000-4000-8000-000000000002';

type Settings = Readonly<Record<string, string>>;

/** The identity that is read from claims, with these settings. */
function identityOf(claims: Claims, settings: Settings = {}) {
  const { isOperator, roles, groups } = readIdentity(claims, readAuth(new SettingsReader(settings)));
  const shownRoles = Object.fromEntries([...roles].map(([id, granted]) => [id, [...granted].toSorted()]));
  return { isOperator, roles: shownRoles, groups };
}

const admin = { id: ACME, roles: ['OrganizationAdmin'] };
const member = { id: ACME, roles: ['OrganizationMember'] };

/** Tokens as the providers send them, with the settings that read them. */
const PROVIDERS: Readonly<Record<string, readonly [Claims, Settings, object]>> = {
  'Keycloak: paths of groups, and realm roles': [
    { groups: ['/vendors/acme', '/everybody'], realm_access: { roles: ['offline_access', 'operator'] } },
    { AUTH_OPERATOR_CLAIM: 'realm_access.roles' },
    { isOperator: true, roles: {}, groups: ['vendors/acme', 'everybody'] },
  ],
  'Keycloak: roles of a client whose ID has dots': [
    { resource_access: { 'modules.example': { roles: ['operator'] }, account: { roles: ['view-profile'] } } },
    { AUTH_OPERATOR_CLAIM: 'resource_access.modules.example.roles' },
    { isOperator: true, roles: {}, groups: [] },
  ],
  'Keycloak: a user attribute, as text with JSON': [
    { organizations: JSON.stringify([admin]) },
    {},
    { isOperator: false, roles: { [ACME]: ['OrganizationAdmin'] }, groups: [] },
  ],
  'Keycloak: an attribute with several values, each text with JSON': [
    { organizations: [JSON.stringify(member), JSON.stringify({ id: FARM, roles: ['OrganizationAdmin'] })] },
    {},
    {
      isOperator: false,
      roles: { [ACME]: ['OrganizationMember'], [FARM]: ['OrganizationAdmin'] },
      groups: [],
    },
  ],
  'Entra: IDs of groups, app roles, and scopes that are no roles': [
    { groups: ['6c1ad1b4-0bd0-4e0b-8d38-0d2a3a4f5f61'], roles: ['operator'], scp: 'access_as_user' },
    {},
    { isOperator: true, roles: {}, groups: ['6c1ad1b4-0bd0-4e0b-8d38-0d2a3a4f5f61'] },
  ],
  'Entra: more groups than fit into a token': [
    { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph' } } },
    {},
    { isOperator: false, roles: {}, groups: [] },
  ],
  'Auth0: claims whose names are addresses': [
    {
      'https://example.com/organizations': [admin],
      'https://example.com/roles': ['operator'],
      permissions: [],
      scope: 'openid profile',
    },
    {
      AUTH_ORGANIZATIONS_CLAIM: 'https://example.com/organizations',
      AUTH_OPERATOR_CLAIM: 'https://example.com/roles',
    },
    { isOperator: true, roles: { [ACME]: ['OrganizationAdmin'] }, groups: [] },
  ],
  'Okta: names of groups, and scopes as a list': [
    { groups: ['Everyone', 'Module Operators'], scp: ['openid', 'profile'] },
    { AUTH_OPERATOR_CLAIM: 'groups', AUTH_OPERATOR_VALUE: 'Module Operators' },
    { isOperator: true, roles: {}, groups: ['Everyone', 'Module Operators'] },
  ],
  'ZITADEL: roles as an object': [
    { 'urn:zitadel:iam:org:project:roles': { operator: { '170079991923474689': 'acme.example.com' } } },
    { AUTH_OPERATOR_CLAIM: 'urn:zitadel:iam:org:project:roles' },
    { isOperator: true, roles: {}, groups: [] },
  ],
};

test.each(Object.entries(PROVIDERS))('%s', (_name, [claims, settings, expected]) =>
  expect(identityOf(claims, settings)).toEqual(expected),
);

describe('operators', () => {
  const isOperator = (claims: Claims, settings: Settings = {}) => identityOf(claims, settings).isOperator;

  test('a scope makes nobody an operator, unless the setting names that claim', () => {
    expect(isOperator({ scope: 'openid operator', scp: ['operator'] })).toBe(false);
    expect(isOperator({ scope: 'openid operator' }, { AUTH_OPERATOR_CLAIM: 'scope' })).toBe(true);
    expect(isOperator({ scp: 'openid operator' }, { AUTH_OPERATOR_CLAIM: 'scp' })).toBe(true);
    expect(isOperator({ scp: ['openid', 'operator'] }, { AUTH_OPERATOR_CLAIM: 'scp' })).toBe(true);
    expect(isOperator({ scope: 'openid operators' }, { AUTH_OPERATOR_CLAIM: 'scope' })).toBe(false);
  });

  test('a role whose name has the word makes nobody an operator', () => {
    expect(isOperator({ roles: 'field operator' })).toBe(false);
    expect(isOperator({ roles: ['field operator'] })).toBe(false);
    expect(isOperator({ roles: 'operator' })).toBe(true);
  });

  test('a subject of the list is one, whatever the claims', () => {
    const settings = { AUTH_OPERATORS: 'auth0|1, auth0|2' };
    expect(isOperator({ sub: 'auth0|2' }, settings)).toBe(true);
    expect(isOperator({ sub: 'auth0|3' }, settings)).toBe(false);
    expect(isOperator({}, settings)).toBe(false);
  });

  test.each([
    ['a part of an item in a list', ['an operator']],
    ['other letter case', ['Operator']],
    ['true', { operator: true }],
    ['a member that is false', { operator: false }],
    ['null', null],
    ['a number', 7],
    ['broken JSON', '["operator"'],
  ])('%s makes nobody an operator', (_what, roles) => expect(isOperator({ roles })).toBe(false));
});

describe('organizations', () => {
  const rolesOf = (organizations: unknown) => identityOf({ organizations }).roles;

  test('two entries of one organization count both, in whatever letter case', () =>
    expect(rolesOf([member, { ...admin, id: ACME.toUpperCase() }])).toEqual({
      [ACME]: ['OrganizationAdmin', 'OrganizationMember'],
    }));

  test('one organization need not be in a list', () => {
    expect(rolesOf(admin)).toEqual({ [ACME]: ['OrganizationAdmin'] });
    expect(rolesOf(JSON.stringify(admin))).toEqual({ [ACME]: ['OrganizationAdmin'] });
    expect(rolesOf({ id: ACME, roles: 'OrganizationMember' })).toEqual({ [ACME]: ['OrganizationMember'] });
  });

  test.each([
    ['an ID that is not a GUID', [{ id: 'acme', roles: ['OrganizationAdmin'] }]],
    ['no roles', [{ id: ACME }]],
    ['unknown roles', [{ id: ACME, roles: ['admin', 7, null] }]],
    ['entries that are no objects', [null, 7, ACME, ['x']]],
    ['a text', 'acme'],
    ['broken JSON', '[{'],
    ['nothing', undefined],
  ])('%s: left out', (_what, organizations) => expect(rolesOf(organizations)).toEqual({}));
});

describe('groups', () => {
  const groupsOf = (groups: unknown) => identityOf({ groups }).groups;

  test('a text is one group, and JSON text is a list', () => {
    expect(groupsOf('North Farm')).toEqual(['North Farm']);
    expect(groupsOf('["a","/b"]')).toEqual(['a', 'b']);
  });

  test('repeated, empty and unstorable names are left out', () =>
    expect(groupsOf(['a', '/a', '', '/', 'b\0', '\ud800', 7, null])).toEqual(['a']));
});

test('a claim whose own name has the dots wins over a path, and inherited members are no claims', () => {
  expect(claimAt({ 'a.b': 1, a: { b: 2 } }, 'a.b')).toBe(1);
  expect(claimAt({ 'a.b': { c: 1 }, a: { 'b.c': 2 } }, 'a.b.c')).toBe(1);
  expect(claimAt({ a: { 'b.c': 2 } }, 'a.b.c')).toBe(2);
  expect(claimAt({ a: [1] }, 'a.length')).toBeUndefined();
  expect(claimAt({}, 'constructor')).toBeUndefined();
});
