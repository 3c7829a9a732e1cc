import { Readable } from 'node:stream';
import { Router } from 'express';
import { findExportedRevision, recordExport } from '../../shared/db/modules/module-exports.ts';
import type { ExportedRevision } from '../../shared/db/modules/module-exports.ts';
import { storageSource } from '../../shared/storage/package-source.ts';
import type { ApiContext } from '../context.ts';
import { actorOf } from '../auth/access.ts';
import { startRange } from '../http/byte-range.ts';
import { modulePackage, packageTag } from './module-package.ts';
import { packageBytes } from './package-bytes.ts';
import { attachment } from '../http/file-answer.ts';
import {
  flagQuery,
  guidParameter,
  isKnown,
  methodNotAllowed,
  ProblemError,
  revisionQuery,
} from '../http/problem.ts';
import { sendStream } from '../http/send-stream.ts';

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
    const version = {
      ETag: packageTag(found, asNew),
      'Cache-Control': 'private, no-cache',
      'Accept-Ranges': 'bytes',
    };
    if (isKnown(request, version.ETag)) {
      response.status(304).set(version).end();
      return;
    }
    const exported = await modulePackage(api.database, found, asNew);
    response.set(version);
    const range = startRange(request, response, exported.sizeBytes, version.ETag);
    if (response.statusCode !== 416) response.set(packageHeaders(found));
    if (range === null) {
      response.end();
      return;
    }
    const freeSlot = api.exportSlots.take(organization.id);
    try {
      if (!(await recordExport(api.database, key, actorOf(principal)))) throw noModule();
      const archive = await storageSource(api.storage, found.archiveKey, found.archiveBytes);
      await sendStream(
        response,
        Readable.from(packageBytes(exported.segments, archive, range), { objectMode: false }),
      );
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

function packageHeaders({ moduleId, revision }: ExportedRevision) {
  return {
    'Content-Type': 'application/zip',
    'Content-Disposition': attachment(`${moduleId}-revision-${revision}.zip`),
  };
}
