import { listDataReads } from '../../shared/db/access/data-reads.ts';
import { DATA_READ_KINDS, type DataReadModel } from '../../shared/db/access/models.ts';
import { mapPage, page } from '../http/pagination.ts';
import type { PageRequest } from '../../shared/db/keyset-page.ts';
import { farmerMember } from '../auth/endpoint-access.ts';
import type { ApiContext } from '../context.ts';
import { answerOf } from '../http/answer.ts';
import { listEndpoint } from '../http/endpoint.ts';
import { dateTime, guid, inputGuid, namedObject, oneOf, orNull, text } from '../http/schema.ts';

/** What a module read on a day. */
export const dataRead = namedObject('DataRead', "What a module's back end read on a day.", {
  id: guid('The ID of the entry.'),
  day: text('The day in UTC, as YYYY-MM-DD.'),
  moduleId: guid('The module.'),
  moduleName: orNull(text("The module's name in English, as it was then; null: not known.")),
  kind: oneOf(
    DATA_READ_KINDS,
    'What it read: farm structures, alert rules, changes, or the installation with the accepted data areas.',
  ),
  createdAt: dateTime('When the module first read it on this day.'),
});

/** The reads of a farmer's data. */
export const listDataReadsEndpoint = listEndpoint('/api/v8.0/{orgId}/dataReads', {
  id: 'listDataReads',
  summary: "List modules' reads of a farmer's data",
  description:
    "What back ends of modules read of the organization's data with their API keys in the last 90 days, newest first: " +
    'one entry for each module, kind and day in UTC. An entry is listed within ten seconds of the answer that has the ' +
    'data. An answer without data, such as 304, is not listed, nor is a call of a webhook, which has only IDs. Entries ' +
    'stay after a module is uninstalled or deleted. The entries of the last ten seconds are lost if an API process is ' +
    'killed; the next read of the day is listed in their place.',
  access: farmerMember,
  query: { moduleId: inputGuid('Only reads by this module.') },
  page: page(dataRead, 'reads'),
  list: ({ api, caller, query: { moduleId = null } }, request) =>
    dataReadsOf(api, caller.organization.id, moduleId, request),
});

/** A page of the reads of a farmer's data, as answers have them. */
export async function dataReadsOf(
  { database }: Pick<ApiContext, 'database'>,
  organizationId: string,
  moduleId: string | null,
  request: PageRequest,
) {
  return mapPage(await listDataReads(database, organizationId, moduleId, request), (row: DataReadModel) =>
    answerOf(row, { day: row.createdAt.toISOString().slice(0, 10) }),
  );
}
