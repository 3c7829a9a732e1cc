import { Readable } from 'node:stream';
import type { TSchema } from 'typebox';
import { writeAudit } from '../../shared/db/access/audit-log.ts';
import { listConsents } from '../../shared/db/access/consents.ts';
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
import { presenterOf, SENT } from '../http/answer.ts';
import { attachment } from '../http/answer/file-answer.ts';
import { sendStream } from '../http/answer/send-stream.ts';
import { endpoint, tagged } from '../http/endpoint.ts';
import { found } from '../http/problem.ts';
import { binary } from '../http/schema.ts';
import { consent, installation, installationsOf } from '../installations/installation-endpoints.ts';
import { dataRead, dataReadsOf, listDataReadsEndpoint } from './data-read-endpoint.ts';
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

/** All that a farmer has, to take along. */
export const ORGANIZATION_EXPORT_ENDPOINTS = tagged('Usage', [exportOrganization, listDataReadsEndpoint]);

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
    listFile('alerts.json', alert, (page) => alertsOf(api, id, { moduleId: null, status: null }, page)),
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
