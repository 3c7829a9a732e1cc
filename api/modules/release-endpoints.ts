import { Type } from 'typebox';
import type { ModuleKey } from '../../shared/db/modules/models.ts';
import { listProblems, type Problem } from '../../shared/package/problem.ts';
import { readPublicationRecord } from './publication-endpoint.ts';
import {
  deprecateModule,
  offerModule,
  setReleasePolicy,
  withdrawModule,
} from '../../shared/db/modules/module-offer.ts';
import { findReleases, findRevisionRecord } from '../../shared/db/modules/releases.ts';
import { releaseRevision, setPreviewers } from '../../shared/registration/releases.ts';
import { actorOf, moduleKey } from '../auth/access.ts';
import { vendorAdmin, vendorMember } from '../auth/endpoint-access.ts';
import { readRevisionOffer } from '../available-modules/available-module-endpoints.ts';
import type { ApiContext } from '../context.ts';
import { json, ok } from '../http/answer.ts';
import { endpoint, tagged } from '../http/endpoint.ts';
import { expectedRevisions, IF_MATCH_REVISION } from '../http/request/expected-revisions.ts';
import { bodyProblem, jsonBody, mayBeMissing } from '../http/request/json-body.ts';
import { found, ProblemError } from '../http/problem.ts';
import { inputGuid, inputObject, orNull } from '../http/schema.ts';
import {
  moduleReleases,
  reasonText,
  RELEASE_POLICIES,
  releasesAnswer,
  releaseStateOf,
} from './release-state.ts';
import { NO_MODULE, REVISION_PATH, revisionNumber, revisionRecord } from './vendor-module.ts';

const path = '/api/v8.0/{orgId}/modules/{moduleId}';
const answers = { 200: json('The revisions of the module, with their audiences.', moduleReleases) };
const MAX_ORGANIZATIONS = 1_000;
/** As many issues as a problem document lists. */
const MAX_LISTED = 100;

const read = endpoint('get', `${path}/releases`, {
  id: 'readReleases',
  summary: 'Read who sees which revision',
  access: vendorMember,
  answers: { 200: json('The revisions of the module, with their audiences.', moduleReleases) },
  handle: ({ api, caller, path }) => releasesOf(api, moduleKey(caller, path)),
});

const readRevision = endpoint('get', `${path}/revisions/{revision}`, {
  id: 'readRevision',
  summary: 'Read a revision',
  description: 'Its archive, its importer and its audience. Read its content with the module.',
  access: vendorMember,
  parameters: REVISION_PATH,
  answers: { 200: json('The revision.', revisionRecord) },
  async handle({ api, caller, path }) {
    const key = moduleKey(caller, path);
    const releases = found(await findReleases(api.database, key), NO_MODULE);
    const row = await findRevisionRecord(api.database, key, revisionNumber(path.revision));
    const record = found(row, NO_MODULE);
    return ok({ ...record, state: releaseStateOf(releases, record) });
  },
});

const change = endpoint('patch', path, {
  id: 'changeModule',
  summary: 'Change the settings of a module',
  access: vendorAdmin,
  body: jsonBody(
    'The settings.',
    inputObject('ChangeModule', 'Settings of a module.', {
      releasePolicy: Type.Enum(RELEASE_POLICIES, {
        description: 'Whether an import releases its revision: `immediate` to everyone, `manual` stages it.',
      }),
    }),
  ),
  headers: IF_MATCH_REVISION,
  answers,
  problems: ['registry-revision-changed'],
  async handle({ api, request, caller, path, body }) {
    const key = moduleKey(caller, path);
    const expected = expectedRevisions(request);
    const changed = await setReleasePolicy(api.database, key, body.releasePolicy, actorOf(caller), expected);
    return afterChange(api, key, changed);
  },
});

function organizationList(description: string, minItems: number) {
  return Type.Array(inputGuid('An organization.'), { minItems, maxItems: MAX_ORGANIZATIONS, description });
}

const REVIEW_DETAILS = {
  'awaits-review':
    'An operator has to approve the first release of the module. The revision is in their queue.',
  declined: 'An operator has declined to release this revision; the reviews of the module have the reason.',
};

const release = endpoint('post', `${path}/revisions/{revision}/release`, {
  id: 'releaseRevision',
  summary: 'Release a revision',
  description:
    'To everyone, or with a body to a ring: some organizations before everyone, one ring at a time. To roll back, ' +
    'release an older revision. Takes effect within a second. A staged revision with placeholders of `modulectl init` is refused.',
  access: vendorAdmin,
  parameters: REVISION_PATH,
  body: mayBeMissing(
    jsonBody(
      'The ring. Without a body, or with an empty object, everyone gets the revision.',
      inputObject('ReleaseRevision', 'A ring: the organizations that get a revision before everyone.', {
        organizationIds: Type.Optional(organizationList('These organizations.', 1)),
        percent: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 100, description: 'This share of all organizations.' }),
        ),
      }),
    ),
  ),
  answers,
  problems: ['revision-has-placeholders', 'revision-awaits-review', 'revision-scope-taken'],
  recordsChanges: true,
  async handle({ api, caller, path, body }) {
    const key = moduleKey(caller, path);
    const { organizationIds = [], percent = null } = body ?? {};
    const isRing = organizationIds.length > 0 || percent !== null;
    const ring = isRing ? { organizationIds: lowerCase(organizationIds), percent } : null;
    const wanted = {
      ...{ revision: revisionNumber(path.revision), ring },
      isFirstReviewed: api.config.imports.reviewFirstReleases,
    };
    const outcome = await releaseRevision(api.database, key, wanted, actorOf(caller));
    if (outcome === 'awaits-review' || outcome === 'declined')
      throw new ProblemError('revision-awaits-review', REVIEW_DETAILS[outcome]);
    if (outcome === 'scope-taken') throw scopeTaken(path.revision);
    if (typeof outcome === 'object') throw hasPlaceholders(wanted.revision, outcome.placeholders);
    return afterChange(api, key, outcome === 'released');
  },
});

function scopeTaken(revision: string): ProblemError {
  return new ProblemError(
    'revision-scope-taken',
    `The scope of revision ${revision} is that of another module by now.`,
  );
}

const previewers = endpoint('put', `${path}/revisions/{revision}/previewers`, {
  id: 'writePreviewers',
  summary: 'Set who previews a staged revision',
  description: 'Replaces the list. An organization that previews several revisions sees the newest of them.',
  access: vendorAdmin,
  parameters: REVISION_PATH,
  body: jsonBody(
    'The organizations.',
    inputObject('SetPreviewers', 'The previewers of a staged revision.', {
      organizationIds: organizationList('The organizations; empty: nobody.', 0),
    }),
  ),
  answers,
  problems: ['revision-released', 'revision-scope-taken'],
  recordsChanges: true,
  async handle({ api, caller, path, body }) {
    const key = moduleKey(caller, path);
    const ids = lowerCase(body.organizationIds);
    const actor = actorOf(caller);
    const outcome = await setPreviewers(api.database, key, revisionNumber(path.revision), ids, actor);
    if (outcome === 'released')
      throw new ProblemError(
        'revision-released',
        `Revision ${path.revision} was released: it has no previewers.`,
      );
    if (outcome === 'scope-taken') throw scopeTaken(path.revision);
    return afterChange(api, key, outcome === 'changed');
  },
});

const withdraw = endpoint('post', `${path}/withdraw`, {
  id: 'withdrawModule',
  summary: 'Withdraw a module',
  description: 'Stops new installations; existing ones continue. Farmers see the reason.',
  access: vendorAdmin,
  body: jsonBody(
    'Why.',
    inputObject('WithdrawModule', 'Why a module is withdrawn.', {
      reason: reasonText('Why there are no new installations, for farmers.'),
    }),
  ),
  answers,
  recordsChanges: true,
  async handle({ api, caller, path, body }) {
    const key = moduleKey(caller, path);
    return afterChange(api, key, await withdrawModule(api.database, key, body.reason, actorOf(caller)));
  },
});

const offer = endpoint('post', `${path}/offer`, {
  id: 'offerModule',
  summary: 'Offer a withdrawn module again',
  access: vendorAdmin,
  answers,
  recordsChanges: true,
  async handle({ api, caller, path }) {
    const key = moduleKey(caller, path);
    return afterChange(api, key, await offerModule(api.database, key, actorOf(caller)));
  },
});

const deprecate = endpoint('post', `${path}/deprecate`, {
  id: 'deprecateModule',
  summary: 'Deprecate a module',
  description: 'Farmers see the message with the module. A message of null ends the deprecation.',
  access: vendorAdmin,
  body: jsonBody(
    'The advice to farmers.',
    inputObject('DeprecateModule', 'Advice to farmers against using a module.', {
      message: orNull(reasonText('The advice; null: the module is deprecated no longer.')),
      successorModuleId: Type.Optional(orNull(inputGuid('The module that replaces it.'))),
    }),
  ),
  answers,
  recordsChanges: true,
  async handle({ api, caller, path, body }) {
    const key = moduleKey(caller, path);
    const { message, successorModuleId = null } = body;
    const advice =
      message === null ? null : { message, successorModuleId: successorModuleId?.toLowerCase() ?? null };
    const outcome = await deprecateModule(api.database, key, advice, actorOf(caller));
    if (outcome === 'successor-missing') {
      const detail = 'The tenant offers no other module with this ID.';
      throw bodyProblem([{ pointer: '/successorModuleId', detail }]);
    }
    return afterChange(api, key, outcome === 'changed');
  },
});

/** The endpoints that decide which revision of a module each farmer sees, and what farmers read about it. */
export const RELEASE_ENDPOINTS = tagged('Modules', [
  read,
  readRevision,
  readRevisionOffer,
  change,
  release,
  previewers,
  withdraw,
  offer,
  deprecate,
  readPublicationRecord,
]);

function lowerCase(ids: readonly string[]): string[] {
  return [...new Set(ids.map((id) => id.toLowerCase()))];
}

function hasPlaceholders(revision: number, placeholders: readonly Problem[]): ProblemError {
  const detail = `Revision ${revision} has ${placeholders.length} of the placeholders that modulectl init writes. Replace them in the package, import it again, and release that revision.`;
  // Warnings of the package, and why it is not released.
  const errors = placeholders.map((each) => ({ ...each, severity: 'error' as const }));
  return new ProblemError('revision-has-placeholders', detail, listProblems(errors, MAX_LISTED));
}

/** @throws ProblemError 404 where the organization has no such module or revision */
async function afterChange(api: ApiContext, key: ModuleKey, isChanged: boolean) {
  found(isChanged, NO_MODULE);
  return releasesOf(api, key);
}

async function releasesOf(api: ApiContext, key: ModuleKey) {
  return ok(releasesAnswer(found(await findReleases(api.database, key), NO_MODULE)));
}
