import { Readable } from 'node:stream';
import type { TSchema } from 'typebox';
import { writeAudit } from '../../shared/db/access/audit-log.ts';
import { listConsents } from '../../shared/db/access/consents.ts';
import { listDataReads } from '../../shared/db/access/data-reads.ts';
import { DATA_READ_KINDS, type DataReadModel } from '../../shared/db/access/models.ts';
import { findOwnStructures, type Grant } from '../../shared/db/access/module-grants.ts';
import { inPages, type Page, type PageRequest } from '../../shared/db/keyset-page.ts';
import { StructuresChangedError, type StructureReader } from '../../shared/db/structures/read-structures.ts';
import { writeZip, type ZipText } from '../../shared/package/archive/write-zip.ts';
import { alertRule } from '../alert-rules/alert-rule.ts';
import { alertRulesOf } from '../alert-rules/alert-rule-endpoints.ts';
import { alert, alertsOf } from '../alerts/alert-endpoints.ts';
import { actorOf } from '../auth/access.ts';
import { farmerMember } from '../auth/endpoint-access.ts';
import type { ApiContext } from '../context.ts';
import { answerOf, presenterOf, SENT } from '../http/answer.ts';
import { attachment } from '../http/answer/file-answer.ts';
import { sendStream } from '../http/answer/send-stream.ts';
import { endpoint, listEndpoint, tagged } from '../http/endpoint.ts';
import { mapPage, page } from '../http/pagination.ts';
import { found } from '../http/problem.ts';
import { binary, dateTime, guid, inputGuid, namedObject, oneOf, orNull, text } from '../http/schema.ts';
import { consent, installation, installationsOf } from '../installations/installation-endpoints.ts';
import { longText, type StructuresFormat } from '../structures/structures-answer.ts';

const exportOrganization = endpoint('get', '/api/v8.0/{orgId}/export', {
  id: 'exportOrganization',
  summary: 'Export all data of a farmer',
  description:
    'A ZIP: `structures.json` and `fields.geojson` with the farm structures, archived ones too, in both forms of ' +
    '`GET /{orgId}/structures`; `alert-rules.json`, `alerts.json`, `installations.json`, `consents.json` and `data-reads.json` with the items ' +
    'of these lists, newest first. Both files of structures have the same state: if it changes meanwhile, the download breaks off. ' +
    'The audit log records each export.',
  access: farmerMember,
  answers: {
    200: {
      description: 'The data.',
      forms: { 'application/zip': { schema: binary('The files, a ZIP.') } },
      headers: ['Content-Disposition', 'Cache-Control'],
    },
  },
  async handle({ api, request, response, caller }) {
    const { id } = caller.organization;
    const [state] = await findOwnStructures(api.database, id, null);
    const structures = found(state ?? null, 'There is no such organization.');
    const day = new Date().toISOString().slice(0, 10);
    const fileName = `${structures.organizationName.replaceAll('/', '-')} ${day}.zip`;
    response.set({
      'Content-Type': 'application/zip',
      'Content-Disposition': attachment(fileName),
      'Cache-Control': 'private, no-store',
    });
    if (request.method === 'HEAD') {
      response.end();
      return SENT;
    }
    const freeSlot = api.structures.streamSlots.take({ id, organizationId: id });
    try {
      await writeAudit(api.database, actorOf(caller), {
        organizationId: id,
        action: 'organization.exported',
      });
      const archive = Readable.from(writeZip(filesOf(api, structures)), { objectMode: false });
      await sendStream({ api, response, authority: caller.authority }, archive);
    } catch (error) {
      if (!(error instanceof StructuresChangedError)) throw error;
      api.log.info({ err: error }, 'export reset');
    } finally {
      freeSlot();
    }
    return SENT;
  },
});

/** What a module read on a day. */
const dataRead = namedObject('DataRead', "What a module's back end read on a day.", {
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
const listDataReadsEndpoint = listEndpoint('/api/v8.0/{orgId}/dataReads', {
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

/** All that a farmer has, to take along, and who has read it. */
export const ORGANIZATION_EXPORT_ENDPOINTS = tagged('Usage', [exportOrganization, listDataReadsEndpoint]);

/** A page of the reads of a farmer's data, as answers have them. */
async function dataReadsOf(
  { database }: Pick<ApiContext, 'database'>,
  organizationId: string,
  moduleId: string | null,
  request: PageRequest,
) {
  return mapPage(await listDataReads(database, organizationId, moduleId, request), (row: DataReadModel) =>
    answerOf(row, { day: row.createdAt.toISOString().slice(0, 10) }),
  );
}

function filesOf(api: ApiContext, structures: Grant): readonly ZipText[] {
  const { organizationId: id } = structures;
  const inForm = (format: StructuresFormat) => () =>
    structuresText(api.structures.reader, structures, format);
  return [
    { path: 'structures.json', pieces: inForm('json') },
    { path: 'fields.geojson', pieces: inForm('geojson') },
    listFile('alert-rules.json', alertRule, (page) =>
      alertRulesOf(api, id, { moduleId: null, state: null }, page),
    ),
    listFile('alerts.json', alert, (page) =>
      alertsOf(api, id, { moduleId: null, severity: null, status: null }, page),
    ),
    listFile('installations.json', installation, (page) => installationsOf(api, id, page)),
    listFile('data-reads.json', dataRead, (page) => dataReadsOf(api, id, null, page)),
    listFile('consents.json', consent, (page) => listConsents(api.database, id, null, page)),
  ];
}

/** The structures in the state that was found. @throws StructuresChangedError if it is another now. */
function structuresText(
  reader: StructureReader,
  structures: Grant,
  format: StructuresFormat,
): AsyncIterable<string> {
  const answer = { moduleId: null, format, withArchived: true, grants: [structures], nextCursor: null };
  const ofState: Pick<StructureReader, 'pages'> = {
    pages: (set, form) => reader.pages({ ...set, onlyVersion: structures.version }, form),
  };
  return longText(ofState, answer, () => Promise.resolve(true));
}

function listFile<Row>(
  path: string,
  schema: TSchema,
  list: (page: PageRequest) => Promise<Page<Row>>,
): ZipText {
  return { path, pieces: () => listText(presenterOf(schema), inPages(list)) };
}

async function* listText(present: (row: unknown) => unknown, batches: AsyncIterable<readonly unknown[]>) {
  let start = '[';
  for await (const rows of batches) {
    if (rows.length === 0) continue;
    yield start + rows.map((row) => JSON.stringify(present(row))).join(',\n');
    start = ',\n';
  }
  yield start === '[' ? '[]\n' : ']\n';
}
