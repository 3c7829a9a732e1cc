import { findOrganizations } from '../../shared/db/access/organizations.ts';
import { anyToken } from '../auth/endpoint-access.ts';
import { tagged, wholeListEndpoint } from '../http/endpoint.ts';
import { page } from '../http/pagination.ts';
import { boolean, guid, namedObject, oneOf, text } from '../http/schema.ts';

const ownOrganization = namedObject('OwnOrganization', 'An organization in which you have a role.', {
  id: guid('The ID of the organization.'),
  name: text('The name of the organization.'),
  kind: oneOf(['vendor', 'farmer'], 'Whether it offers modules or installs them.'),
  admin: boolean('Whether you are an administrator of it.'),
});

/** The organizations of the person who calls. */
export const OWN_ORGANIZATION_ENDPOINTS = tagged('Members', [
  wholeListEndpoint('/api/v8.0/ownOrganizations', {
    id: 'listOwnOrganizations',
    summary: 'List your organizations',
    description: 'Those in which you have a role, by name.',
    access: anyToken,
    page: page(ownOrganization, 'your organizations', { brief: 'organizations' }),
    async list({ api, caller }) {
      const roles = await api.access.rolesOf(caller);
      const found = await findOrganizations(api.database, [...roles.keys()]);
      return found.map(({ id, name, kind }) => ({
        ...{ id, name, kind },
        admin: roles.get(id)?.has('OrganizationAdmin') ?? false,
      }));
    },
  }),
]);
