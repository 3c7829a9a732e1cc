import { Readable } from 'node:stream';
import {
  findExportedRevision,
  recordExport,
  type ExportedRevision,
} from '../../shared/db/modules/module-exports.ts';
import { storageSource } from '../../shared/storage/package-source.ts';
import { actorOf, moduleKey } from '../auth/access.ts';
import { vendorAdmin } from '../auth/endpoint-access.ts';
import { reply, SENT } from '../http/answer.ts';
import { RANGE_HEADERS, startRange, IF_NONE_MATCH, isKnown } from '../http/request/conditional-request.ts';
import { endpoint } from '../http/endpoint.ts';
import { attachment } from '../http/answer/file-answer.ts';
import { found, ProblemError } from '../http/problem.ts';
import { binary, boolean } from '../http/schema.ts';
import { sendStream } from '../http/answer/send-stream.ts';
import { NO_MODULE, REVISION_QUERY } from './vendor-module.ts';
import { modulePackage, packageTag, packageBytes } from './module-package.ts';

const HEADERS = ['ETag', 'Cache-Control', 'Accept-Ranges'];
const forms = { 'application/zip': { schema: binary('The package, a ZIP.') } };

/** Exports a module as a package that can be imported again. */
export const exportModule = endpoint('get', '/api/v8.0/{orgId}/ExportModuleAsync/{moduleId}', {
  id: 'exportModule',
  summary: 'Export a module as a package',
  description:
    'The same revision always has the same bytes. The package contains the values of environment variables. The audit log records each export.',
  access: vendorAdmin,
  query: {
    ...REVISION_QUERY,
    asNew: boolean('Whether to omit module ID and scope, to import the package in another organization.'),
  },
  headers: { ...IF_NONE_MATCH, ...RANGE_HEADERS },
  answers: {
    200: { description: 'The package.', forms, headers: [...HEADERS, 'Content-Disposition'] },
    206: {
      description: 'The requested range, to resume a download.',
      forms,
      headers: [...HEADERS, 'Content-Disposition', 'Content-Range'],
    },
    304: { description: 'The caller has this version.', headers: HEADERS },
    416: { description: 'The range is outside the package.', headers: [...HEADERS, 'Content-Range'] },
  },
  async handle({ api, request, response, caller, path, query }) {
    const { revision = null, asNew = false } = query;
    const key = moduleKey(caller, path);
    const row = await findExportedRevision(api.database, api.encryptionKeys, key, revision);
    const exported = found(row, NO_MODULE);
    const etag = packageTag(exported, asNew);
    // Only for administrators: it contains the values of environment variables.
    const headers = { ETag: etag, 'Cache-Control': 'private, no-cache', 'Accept-Ranges': 'bytes' };
    if (isKnown(request, etag)) return reply(304, undefined, headers);
    const { segments, sizeBytes } = found(await modulePackage(api.database, exported, asNew), NO_MODULE);
    response.set(headers);
    const range = startRange(request, response, sizeBytes, etag);
    if (response.statusCode !== 416) response.set(packageHeaders(exported));
    if (range === null) {
      response.end();
      return SENT;
    }
    const freeSlot = api.moduleFiles.exportSlots.takeNow(key.organizationId);
    try {
      found(await recordExport(api.database, key, actorOf(caller)), NO_MODULE);
      const archive = await storageSource(api.storage, exported.archiveKey, exported.archiveBytes);
      await sendStream(
        { api, response, authority: caller.authority },
        Readable.from(packageBytes(segments, archive, range), { objectMode: false }),
      );
      return SENT;
    } catch (error) {
      if (error instanceof ProblemError) throw error;
      throw new Error(`the export of module ${exported.moduleId} revision ${exported.revision} failed`, {
        cause: error,
      });
    } finally {
      freeSlot();
    }
  },
});

function packageHeaders({ moduleId, revision }: ExportedRevision) {
  return {
    'Content-Type': 'application/zip',
    'Content-Disposition': attachment(`${moduleId}-revision-${revision}.zip`),
  };
}
