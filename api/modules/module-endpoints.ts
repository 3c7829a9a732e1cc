import { Readable } from 'node:stream';
import { releaseFreedArchives } from '../../shared/db/imports/freed-archives.ts';
import { deleteModule, deleteRevision, purgeModule } from '../../shared/db/modules/delete-module.ts';
import {
  FILES_AT_ONCE,
  findModuleFile,
  findRevision,
  listModules,
  listRevisions,
} from '../../shared/db/modules/modules.ts';
import type { ModuleKey } from '../../shared/db/modules/models.ts';
import { removeFreed } from '../../shared/storage/remove-freed.ts';
import { actorOf, moduleKey } from '../auth/access.ts';
import { vendorAdmin, vendorMember } from '../auth/endpoint-access.ts';
import type { ApiContext } from '../context.ts';
import { json, ok, SENT, present } from '../http/answer.ts';
import { deleteEndpoint, endpoint, listEndpoint, tagged } from '../http/endpoint.ts';
import { expectedRevisions, IF_MATCH_REVISION } from '../http/request/expected-revisions.ts';
import { FILE_ANSWERS, FILE_HEADERS, filePath, sendFile } from '../http/answer/file-answer.ts';
import { limitedAnswer, mapPage, openCursor, page, PAGE_QUERY, STANDARD_LIMIT } from '../http/pagination.ts';
import { sendStream } from '../http/answer/send-stream.ts';
import { found, ProblemError } from '../http/problem.ts';
import { booleanOrBare } from '../http/schema.ts';
import { exportModule } from './export-endpoint.ts';
import { missingFile } from './missing-file.ts';
import {
  vendorModule,
  textsWithFiles,
  moduleSummary,
  NO_MODULE,
  revision,
  revisionAnswer,
  REVISION_PATH,
  REVISION_QUERY,
  revisionNumber,
  summaryAnswer,
} from './vendor-module.ts';

const path = '/api/v8.0/{orgId}/modules';

const list = listEndpoint(path, {
  id: 'listModules',
  summary: 'List modules',
  description: 'Newest first.',
  access: vendorMember,
  page: page(moduleSummary, 'modules', { name: 'ModulePage' }),
  async list({ api, caller }, request) {
    const modules = await listModules(api.database, caller.organization.id, request);
    return mapPage(modules, (row) => summaryAnswer(row, api.catalogue.englishId));
  },
});

const read = endpoint('get', `${path}/{moduleId}`, {
  id: 'readModule',
  summary: 'Read a module',
  description:
    'Returns the current revision, or the newest while none is released, unless `revision` is set. Environment variables are returned without values.',
  access: vendorMember,
  query: REVISION_QUERY,
  answers: { 200: json('The revision.', vendorModule, ['ETag?', 'Cache-Control']) },
  async handle({ api, response, caller, path, query }) {
    const row = await findRevision(api.database, moduleKey(caller, path), query.revision ?? null);
    const shown = found(row, NO_MODULE);
    // No ETag for another revision: its answer contains the number of the current and the newest one, and changes with them.
    const isOnly = shown.revision === shown.currentRevision && shown.revision === shown.newestRevision;
    const etag = isOnly && { ETag: `"${shown.revision}"` };
    const headers = { 'Cache-Control': 'private, no-cache', ...etag };
    const answer = revisionAnswer(shown);
    if (shown.files.length < FILES_AT_ONCE) return ok(answer, headers);
    response.set(headers).type('json');
    const texts = textsWithFiles(api.database, shown, present(vendorModule, answer));
    await sendStream({ api, response, authority: caller.authority }, Readable.from(texts));
    return SENT;
  },
});

/** Removes the packages of a module's deleted revisions from storage; false where there were none. */
async function removeDeleted(api: ApiContext, module: ModuleKey): Promise<boolean> {
  let isAny = false;
  for await (const freed of releaseFreedArchives(api.database, module)) {
    await removeFreed(api, freed);
    isAny ||= freed.length > 0;
  }
  return isAny;
}

const remove = deleteEndpoint(`${path}/{moduleId}`, {
  id: 'deleteModule',
  summary: 'Delete a module',
  description:
    'Revokes its keys and removes its installations. Its ID and scope stay reserved for the owner. Its ' +
    'revisions are kept for a time set by the operator, and count as stored bytes, unless `purge` is set.',
  access: vendorAdmin,
  query: {
    purge: booleanOrBare(
      'Delete its revisions now, also of a module that is already deleted. Running downloads break off.',
    ),
  },
  headers: IF_MATCH_REVISION,
  problems: ['registry-revision-changed'],
  recordsChanges: true,
  async handle({ api, request, caller, path, query }) {
    const key = moduleKey(caller, path);
    const actor = actorOf(caller);
    const expected = expectedRevisions(request);
    if (query.purge === true) {
      const batches = found(await purgeModule(api.database, key, actor, expected), NO_MODULE);
      while ((await batches.next()).done !== true);
      await removeDeleted(api, key);
    } else found(await deleteModule(api.database, key, actor, expected), NO_MODULE);
  },
});

const revisions = endpoint('get', `${path}/{moduleId}/revisions`, {
  id: 'listRevisions',
  summary: 'List revisions',
  description: 'Newest first.',
  access: vendorMember,
  query: PAGE_QUERY,
  answers: { 200: page(revision, 'revisions') },
  async handle(call) {
    const { api, caller, path: values, query } = call;
    const { limit = STANDARD_LIMIT } = query;
    const position = openCursor(call);
    const before = position === null ? null : revisionNumber(position);
    const rows = await listRevisions(api.database, moduleKey(caller, values), before, limit + 1);
    return ok(limitedAnswer(call, found(rows, NO_MODULE), (row) => String(row.revision)));
  },
});

/** Why a revision cannot be deleted, and what makes it possible. */
function revisionInUse(
  why: 'visible' | 'previewed' | 'only',
  { organizationId, moduleId }: ModuleKey,
  revision: number,
): string {
  if (why === 'visible')
    return `Farmers see revision ${revision}. Release another one, or delete the module.`;
  if (why === 'only') return `The module has no other revision than ${revision}. Delete the module instead.`;
  const address = `/api/v8.0/${organizationId}/modules/${moduleId}/revisions/${revision}/previewers`;
  return `Only previewers see revision ${revision}. Remove them first: PUT ${address} with { "organizationIds": [] }.`;
}

const removeRevision = deleteEndpoint(`${path}/{moduleId}/revisions/{revision}`, {
  id: 'deleteRevision',
  summary: 'Delete a revision',
  description:
    'Deletes a revision with its files; its number is never reused. A revision that farmers see cannot be deleted, ' +
    'nor can the only one. Running downloads finish, and its package counts as stored until then, unless `purge` is set.',
  access: vendorAdmin,
  parameters: REVISION_PATH,
  query: {
    purge: booleanOrBare(
      'Remove the packages of this and of all deleted revisions of the module now. Running downloads break off.',
    ),
  },
  problems: ['revision-current'],
  async handle({ api, caller, path, query }) {
    const number = revisionNumber(path.revision);
    const actor = actorOf(caller);
    const key = moduleKey(caller, path);
    const result = await deleteRevision(api.database, key, number, actor);
    if (result === 'deleted' || result === 'missing') {
      // Also of a revision that is already deleted: the answer to an earlier call may have been lost.
      const isPurged = query.purge === true && (await removeDeleted(api, key));
      found(result === 'deleted' || isPurged, NO_MODULE);
      return;
    }
    throw new ProblemError('revision-current', revisionInUse(result, key, number));
  },
});

const readFile = endpoint('get', `${path}/{moduleId}/files/{path}`, {
  id: 'readModuleFile',
  summary: 'Read a file of a module',
  access: vendorMember,
  parameters: filePath('ModuleToS/terms.md'),
  query: REVISION_QUERY,
  headers: FILE_HEADERS,
  answers: FILE_ANSWERS,
  problems: ['module-quarantined'],
  async handle({ api, request, response, caller, path: { moduleId, path }, query: { revision = null } }) {
    const owner = { organizationId: caller.organization.id };
    const key = { ...owner, moduleId };
    const name = path.normalize('NFC');
    const find = () => findModuleFile(api.database, key, name, revision);
    const sharedBy = JSON.stringify([key, name, revision]);
    const file = name.includes('\0') ? null : await api.moduleFiles.reads.read(sharedBy, find);
    if (file === null) throw await missingFile(api, moduleId, owner, 'The revision has no such file.');
    await sendFile({ api, request, response, authority: caller.authority }, file);
    return SENT;
  },
});

/** A vendor's modules. */
export const MODULE_ENDPOINTS = tagged('Modules', [
  list,
  read,
  remove,
  revisions,
  removeRevision,
  readFile,
  exportModule,
]);
