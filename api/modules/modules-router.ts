import { Router } from 'express';
import type { Request } from 'express';
import type { LocatedFile } from '../../shared/db/modules/located-file.ts';
import {
  deleteModule,
  findModuleFile,
  findRevision,
  listModules,
  listRevisions,
} from '../../shared/db/modules/modules.ts';
import type { ListedModule, ModuleRevision, RevisionSummary } from '../../shared/db/modules/modules.ts';
import type { ModuleKey } from '../../shared/db/models.ts';
import { MODULE_VERSION } from '../../shared/package/descriptor/descriptor.ts';
import type { ApiContext } from '../context.ts';
import { actorOf } from '../auth/access.ts';
import type { Role } from '../auth/access-token.ts';
import { sendFile } from '../http/file-answer.ts';
import { guidParameter, methodNotAllowed, ProblemError, revisionQuery, timestamp } from '../http/problem.ts';
import { limitQuery, pageAnswer, pageRequest } from '../http/pagination.ts';
import { SharedReads } from '../http/shared-reads.ts';

/** A vendor's own modules. */
export function modulesRouter(api: ApiContext): Router {
  const router = Router();
  addModules(router, api);
  addRevisions(router, api);
  addFiles(router, api);
  return router;
}

function addModules(router: Router, api: ApiContext): void {
  router.get('/:orgId/modules', async (request, response) => {
    const { organization } = await api.access.organization(request, 'OrganizationMember', 'vendor');
    const page = await listModules(api.database, organization.id, pageRequest(request));
    response.json(pageAnswer(page, (row) => listedItem(row, api.catalogue.englishId)));
  });
  router.all('/:orgId/modules', methodNotAllowed('GET'));

  router.get('/:orgId/modules/:moduleId', async (request, response) => {
    const key = await moduleKey(api, request, 'OrganizationMember');
    const found = await findRevision(api.database, key, revisionQuery(request, 'revision'));
    if (found === null) throw noModule();
    response.set('Cache-Control', 'private, no-cache');
    // An older revision has none: its answer tells the current revision too, and changes with it.
    if (found.revision === found.currentRevision) response.set('ETag', `"${found.revision}"`);
    response.json(moduleItem(found));
  });
  router.delete('/:orgId/modules/:moduleId', async (request, response) => {
    const { organization, principal } = await api.access.organization(request, 'OrganizationAdmin', 'vendor');
    const key = { organizationId: organization.id, moduleId: guidParameter(request, 'moduleId') };
    if (!(await deleteModule(api.database, key, actorOf(principal, request)))) throw noModule();
    response.status(204).end();
  });
  router.all('/:orgId/modules/:moduleId', methodNotAllowed('GET', 'DELETE'));
}

function addRevisions(router: Router, api: ApiContext): void {
  router.get('/:orgId/modules/:moduleId/revisions', async (request, response) => {
    const key = await moduleKey(api, request, 'OrganizationMember');
    const limit = limitQuery(request);
    // One more than asked for tells whether there is a next page.
    const found = await listRevisions(api.database, key, revisionQuery(request, 'cursor'), limit + 1);
    if (found === null) throw noModule();
    const items = found.slice(0, limit);
    const last = items.at(-1);
    response.json({
      items: items.map(revisionItem),
      nextCursor: found.length > limit && last !== undefined ? String(last.revision) : null,
    });
  });
  router.all('/:orgId/modules/:moduleId/revisions', methodNotAllowed('GET'));
}

function addFiles(router: Router, api: ApiContext): void {
  const reads = new SharedReads<LocatedFile | null>();
  const find = (key: ModuleKey, path: string, revision: number | null) =>
    reads.read(JSON.stringify([key, path, revision]), () =>
      findModuleFile(api.database, key, path, revision),
    );
  router.get('/:orgId/modules/:moduleId/files/*path', async (request, response) => {
    const key = await moduleKey(api, request, 'OrganizationMember');
    const path = request.params.path.join('/').normalize('NFC');
    const file = path.includes('\0') ? null : await find(key, path, revisionQuery(request, 'revision'));
    if (file === null) throw new ProblemError('not-found', 'The revision has no such file.');
    await sendFile(request, response, api.archives, file);
  });
  router.all('/:orgId/modules/:moduleId/files/*path', methodNotAllowed('GET'));
}

async function moduleKey(api: ApiContext, request: Request, role: Role): Promise<ModuleKey> {
  const { organization } = await api.access.organization(request, role, 'vendor');
  return { organizationId: organization.id, moduleId: guidParameter(request, 'moduleId') };
}

function listedItem(row: ListedModule, englishId: string) {
  return {
    id: row.id,
    scope: row.scope,
    moduleName: row.translations.find(({ languageId }) => languageId === englishId)?.moduleName ?? null,
    translations: row.translations,
    logos: row.logos,
    moduleVersion: MODULE_VERSION,
    revision: row.currentRevision,
    lastImport:
      row.lastImportId === null
        ? null
        : {
            importId: row.lastImportId,
            status: row.lastImportStatus,
            createdAt: timestamp(row.lastImportAt),
          },
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  };
}

function noModule(): ProblemError {
  return new ProblemError('not-found', 'The organization has no such module or revision.');
}

/** A revision, without the values of its environment variables: these are told by the export alone. */
function moduleItem(found: ModuleRevision) {
  const { environmentVariables, ...descriptor } = found.descriptor;
  return {
    id: found.id,
    revision: found.revision,
    currentRevision: found.currentRevision,
    moduleVersion: MODULE_VERSION,
    importId: found.importId,
    descriptor: {
      ...descriptor,
      environmentVariables: environmentVariables.map(({ appEnvironmentId, key }) => ({
        appEnvironmentId,
        key,
      })),
    },
    roles: found.roles,
    alertRules: found.alertRules,
    files: found.files,
    createdAt: timestamp(found.createdAt),
    updatedAt: timestamp(found.revisedAt),
  };
}

function revisionItem({ revision, importId, files, sizeBytes, createdAt }: RevisionSummary) {
  return { revision, importId, files, sizeBytes, createdAt: timestamp(createdAt) };
}
