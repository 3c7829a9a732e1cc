import { listModuleInstallations } from '../../shared/db/access/installations.ts';
import { apiKey } from '../auth/endpoint-access.ts';
import { listEndpoint, page } from '../http/list-endpoint.ts';
import { mapPage } from '../http/pagination.ts';
import { boolean, dateTime, guid, integer, listOf, namedObject, orNull } from '../http/schema.ts';

const moduleInstallation = namedObject(
  'ModuleInstallation',
  'An organization that has the module installed.',
  {
    organizationId: guid('The organization of the farmer.'),
    revision: orNull(
      integer('The revision that the organization sees; null if every release was taken back.', 1),
    ),
    acceptedDataAreaIds: listOf(guid('The ID of a data area.'), 'What the farmer accepts.'),
    grantedDataAreaIds: listOf(
      guid('The ID of a data area.'),
      'What the key may read: the farmer accepts it, and the revision declares it.',
    ),
    consentPending: boolean('Whether the revision needs consent to more data areas or to other terms.'),
    createdAt: dateTime('When the module was installed.'),
    updatedAt: dateTime('When the installation last changed.'),
  },
);

/** Where a module is installed: with it, a back end starts anew. */
export const listModuleInstallationsEndpoint = listEndpoint({
  id: 'listModuleInstallations',
  path: '/api/v8.0/Alerts/InstallationsByModuleId/{moduleId}',
  tag: 'Machine access',
  summary: 'List installations of the module',
  description:
    'Newest first. Needs no data area. Read it once, and then again after 410 `changes-expired`: first read changes ' +
    'without `cursor` and keep `nextCursor`, then read installations, structures and rules.',
  access: apiKey,
  page: page(moduleInstallation, 'installations of a module', { brief: 'installations' }),
  list: async ({ api, caller: { moduleId } }, request) =>
    mapPage(await listModuleInstallations(api.database, moduleId, request), (row) => ({
      ...row,
      consentPending: row.pendingConsent !== null,
    })),
});
