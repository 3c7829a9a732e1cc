import { Readable } from 'node:stream';
import { Router } from 'express';
import type { Response } from 'express';
import { findExportedRevision, recordExport } from '../../shared/db/module-exports.ts';
import type { ExportedRevision } from '../../shared/db/module-exports.ts';
import { writeZip } from '../../shared/package/write-zip.ts';
import type { ApiContext } from '../api-context.ts';
import { actorOf } from '../auth/access.ts';
import { modulePackage, packageTag, withCrc32 } from '../exports/module-package.ts';
import type { ModulePackage } from '../exports/module-package.ts';
import { storedContents } from '../exports/stored-contents.ts';
import { attachment } from '../file-answer.ts';
import { flagQuery, guidParameter, isKnown, methodNotAllowed, ProblemError, revisionQuery } from '../http.ts';
import { sendStream } from '../send-stream.ts';

/** A module as a package that can be imported again. */
export function exportsRouter(api: ApiContext): Router {
  const router = Router();
  const path = '/:orgId/ExportModuleAsync/:moduleId';
  router.get(path, async (request, response) => {
    const { organization, principal } = await api.access.organization(request, 'OrganizationAdmin', 'vendor');
    const key = { organizationId: organization.id, moduleId: guidParameter(request, 'moduleId') };
    const asNew = flagQuery(request, 'asNew');
    const found = await findExportedRevision(api.database, key, revisionQuery(request, 'revision'));
    if (found === null) throw noModule();
    // Administrators' eyes only: it has the values of environment variables.
    const version = { ETag: packageTag(found, asNew), 'Cache-Control': 'private, no-cache' };
    if (isKnown(request, version.ETag)) {
      response.status(304).set(version).end();
      return;
    }
    const exported = await modulePackage(api, found, asNew);
    const headers = { ...version, ...packageHeaders(found, exported) };
    if (request.method === 'HEAD') {
      response.set(headers).end();
      return;
    }
    const freeSlot = api.exportSlots.take(organization.id);
    try {
      if (!(await recordExport(api.database, key, actorOf(principal, request)))) throw noModule();
      await sendPackage(api, response, headers, exported);
    } catch (error) {
      if (error instanceof ProblemError) throw error;
      throw new Error(`the export of module ${found.moduleId} revision ${found.revision} failed`, {
        cause: error,
      });
    } finally {
      freeSlot();
    }
  });
  router.all(path, methodNotAllowed('GET'));
  return router;
}

function noModule(): ProblemError {
  return new ProblemError('not-found', 'The organization has no such module or revision.');
}

function packageHeaders({ moduleId, revision }: ExportedRevision, { sizeBytes }: ModulePackage) {
  return {
    'Content-Type': 'application/zip',
    'Content-Length': String(sizeBytes),
    'Content-Disposition': attachment(`${moduleId}-revision-${revision}.zip`),
  };
}

async function sendPackage(
  api: ApiContext,
  response: Response,
  headers: Readonly<Record<string, string>>,
  { descriptor, files }: ModulePackage,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => {
    gone.abort();
  });
  const packed = await withCrc32(api, files);
  response.set(headers);
  const pieces = writeZip(entries());
  function* entries() {
    yield descriptor;
    yield* storedContents(api.storage, packed, gone.signal);
  }
  await sendStream(response, Readable.from(pieces, { highWaterMark: 2 }));
}
