import type { Static } from 'typebox';
import { listModuleInstallations, type ModuleInstallation } from '../../shared/db/access/installations.ts';
import { apiKey } from '../auth/endpoint-access.ts';
import { json, ok } from '../http/answer.ts';
import { endpoint } from '../http/endpoint.ts';
import { PAGE_QUERY, pageAnswer, pageRequest } from '../http/pagination.ts';
import { boolean, dateTime, guid, integer, listOf, namedObject, orNull, pageOf } from '../http/schema.ts';
import { timestamp } from '../http/timestamp.ts';

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
export const listModuleInstallationsEndpoint = endpoint({
  id: 'listModuleInstallations',
  method: 'get',
  path: '/api/v8.0/Alerts/InstallationsByModuleId/{moduleId}',
  tag: 'Machine access',
  summary: 'List installations of the module',
  description:
    'Newest first. Needs no data area. Read it once, and then again after 410 `changes-expired`: first read changes ' +
    'without `cursor` and keep `nextCursor`, then read installations, structures and rules.',
  access: apiKey,
  query: PAGE_QUERY,
  answers: {
    200: json(
      'A page of installations.',
      pageOf('ModuleInstallationPage', moduleInstallation, 'A page of installations of a module.'),
    ),
  },
  async handle({ api, caller: { moduleId }, query }) {
    const page = await listModuleInstallations(api.database, moduleId, pageRequest(query));
    return ok(pageAnswer(page, moduleInstallationOf));
  },
});

function moduleInstallationOf(row: ModuleInstallation): Static<typeof moduleInstallation> {
  const { organizationId, revision, acceptedDataAreaIds, grantedDataAreaIds } = row;
  return {
    ...{ organizationId, revision, acceptedDataAreaIds, grantedDataAreaIds },
    consentPending: row.pendingConsent !== null,
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  };
}
