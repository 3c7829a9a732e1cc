import { REPORT_REASONS, REVIEW_DECISIONS, REVIEW_KINDS } from '../../shared/db/modules/models.ts';
import {
  answerReview,
  decideReview,
  findReport,
  listModuleReviews,
  listReports,
  listReviews,
  reportModule,
} from '../../shared/db/modules/reviews.ts';
import { actorOf, moduleKey, tokenActor } from '../auth/access.ts';
import { farmerAdmin, farmerMember, operator, vendorAdmin, vendorMember } from '../auth/endpoint-access.ts';
import { created, json, ok, reply } from '../http/answer.ts';
import { creatingEndpoint } from '../http/creating-endpoint.ts';
import { endpoint, listEndpoint, tagged } from '../http/endpoint.ts';
import { page } from '../http/pagination.ts';
import { found, ProblemError } from '../http/problem.ts';
import { bodyProblem, jsonBody } from '../http/request/json-body.ts';
import {
  boolean,
  dateTime,
  guid,
  inputGuid,
  inputObject,
  integer,
  namedObject,
  oneOf,
  orNull,
  text,
} from '../http/schema.ts';
import { NO_MODULE } from '../modules/vendor-module.ts';
import { reasonText } from '../modules/release-state.ts';

const REVIEW_PATH = { reviewId: inputGuid('The review.') };

const DECIDED = {
  id: guid('The ID of the review.'),
  kind: oneOf(
    REVIEW_KINDS,
    'What is decided: `report`, whether the module is as a farmer reported it; `first-release`, whether a module of a vendor that is not verified may be released.',
  ),
  revision: integer('The number of the revision that it is about.', 1),
  reason: orNull(oneOf(REPORT_REASONS, 'What the module was reported for; null of a first release.')),
  createdAt: dateTime('When the module was reported, or its release requested.'),
  decision: orNull(
    oneOf(
      REVIEW_DECISIONS,
      'The decision: the report was `upheld` or `dismissed`, the first release `approved` or `declined`; null: not decided yet.',
    ),
  ),
  decisionReason: orNull(text("The operator's reason for the decision.")),
  decidedAt: orNull(dateTime('When an operator decided; null: not yet.')),
};

// The vendor answers the operator, not the farmer.
const moduleReport = namedObject(
  'ModuleReport',
  'A report of a module, and what operators decided about it.',
  DECIDED,
);

const MEMBERS = {
  ...DECIDED,
  answer: orNull(text("The vendor's answer to the decision; null: none.")),
  answeredAt: orNull(dateTime('When the vendor answered; null: not yet.')),
};

// Without what would name the farmer: a vendor must not make reporting unpleasant.
const moduleReview = namedObject('ModuleReview', 'What operators decide about a module.', MEMBERS);

const reviewedVendor = namedObject('ReviewedVendor', 'The vendor of a module under review.', {
  id: guid('The ID of the vendor.'),
  name: text('The name of the vendor.'),
  verified: boolean('Whether an operator has checked who the vendor is.'),
});

const review = namedObject('Review', 'A review as operators see it.', {
  ...MEMBERS,
  moduleId: guid('The module.'),
  moduleName: text('The name of the revision, at the time of the report.'),
  moduleDeleted: boolean('Whether the vendor has deleted the module since.'),
  vendor: reviewedVendor,
  organizationId: guid('The organization that reported the module, or its vendor.'),
  organizationName: text('The name of this organization.'),
  text: orNull(text('What the organization reports; null of a first release.')),
  decidedBy: orNull(text('The operator who decided, the subject of a token; null: not decided yet.')),
});

const reportsPath = '/api/v8.0/{orgId}/availableModules/{moduleId}/reports';

const listOwn = listEndpoint(reportsPath, {
  id: 'listReports',
  summary: "List the organization's reports of a module",
  description: 'Newest first, with the decisions of operators.',
  access: farmerMember,
  page: page(moduleReport, 'reports of a module', { brief: 'reports' }),
  list: ({ api, caller, path }, request) => listReports(api.database, moduleKey(caller, path), request),
});

const readOwn = endpoint('get', `${reportsPath}/{reviewId}`, {
  id: 'readReport',
  summary: 'Read a report of the organization',
  access: farmerMember,
  parameters: REVIEW_PATH,
  answers: { 200: json('The report.', moduleReport) },
  async handle({ api, caller, path }) {
    const row = await findReport(api.database, moduleKey(caller, path), path.reviewId);
    return ok(found(row, 'The organization has made no such report.'));
  },
});

const report = creatingEndpoint(reportsPath, {
  id: 'createReport',
  summary: 'Report a module',
  description:
    'Operators read the report, and decide about it. The organization and the vendor read the decision; the vendor reads neither the text nor the name of the organization.',
  access: farmerAdmin,
  body: jsonBody(
    'The report.',
    inputObject('CreateReport', 'Why operators should look at a module.', {
      reason: oneOf(REPORT_REASONS, 'What the module is reported for.'),
      text: reasonText('What is wrong, for operators.'),
    }),
  ),
  answers: { 201: created('The report.', moduleReport) },
  problems: ['report-open'],
  async handle({ api, caller, path, body }) {
    const made = await reportModule(api.database, moduleKey(caller, path), body, actorOf(caller));
    const row = found(made, "The organization's tenant offers no such module.");
    if (row === 'open')
      throw new ProblemError('report-open', 'An operator has not decided yet about the last report.');
    const { orgId, moduleId } = path;
    return reply(201, row, {
      Location: `/api/v8.0/${orgId}/availableModules/${moduleId}/reports/${row.id}`,
    });
  },
});

const listOfModule = listEndpoint('/api/v8.0/{orgId}/modules/{moduleId}/reviews', {
  id: 'listModuleReviews',
  summary: 'List what operators decided about a module',
  description: 'Newest first. Of what is not decided yet, only a first release is listed.',
  access: vendorMember,
  page: page(moduleReview, 'reviews of a module', { brief: 'reviews' }),
  list: async ({ api, caller, path }, request) =>
    found(await listModuleReviews(api.database, moduleKey(caller, path), request), NO_MODULE),
});

const answer = endpoint('post', '/api/v8.0/{orgId}/modules/{moduleId}/reviews/{reviewId}/answer', {
  id: 'answerReview',
  summary: 'Answer a decision about a module',
  description: 'Once for each decision. Operators read the answer.',
  access: vendorAdmin,
  parameters: REVIEW_PATH,
  body: jsonBody(
    'The answer.',
    inputObject('AnswerReview', "The vendor's answer to a decision.", {
      text: reasonText('The answer, for operators.'),
    }),
  ),
  answers: { 200: json('The review.', moduleReview) },
  problems: ['review-answered'],
  async handle({ api, caller, path, body }) {
    const key = moduleKey(caller, path);
    const outcome = await answerReview(api.database, key, path.reviewId, body.text, actorOf(caller));
    const row = found(outcome, 'The organization has no module with such a decision.');
    if (row === 'answered') throw new ProblemError('review-answered', 'The decision has its answer.');
    return ok(row);
  },
});

const list = listEndpoint('/api/v8.0/operations/reviews', {
  id: 'listReviews',
  summary: 'List the reviews of modules',
  description: 'Those that wait for a decision, newest first.',
  access: operator,
  query: { decided: boolean('Whether the decided reviews are listed instead.') },
  page: page(review, 'reviews'),
  list: ({ api, query: { decided = false } }, request) => listReviews(api.database, decided, request),
});

const decide = endpoint('post', '/api/v8.0/operations/reviews/{reviewId}/decide', {
  id: 'decideReview',
  summary: 'Decide a review',
  description:
    'The vendor and the organization that made the report read the decision and its reason; the vendor can answer once. A decision stops and releases no module: an operator puts it into quarantine, or the vendor releases the approved revision.',
  access: operator,
  parameters: REVIEW_PATH,
  body: jsonBody(
    'The decision.',
    inputObject('DecideReview', 'The decision about a review.', {
      decision: oneOf(
        REVIEW_DECISIONS,
        'Whether the report is `upheld` or `dismissed`, or the first release `approved` or `declined`.',
      ),
      reason: reasonText('The reason, for the vendor and the organization that made the report.'),
    }),
  ),
  answers: { 200: json('The review.', review) },
  problems: ['not-found', 'review-decided'],
  async handle({ api, caller, path, body }) {
    const outcome = await decideReview(api.database, path.reviewId, body, tokenActor(caller));
    const row = found(outcome, 'There is no such review.');
    if (row === 'other-kind')
      throw bodyProblem([
        { pointer: '/decision', detail: 'The review is of another kind, which has other decisions.' },
      ]);
    if (row === 'decided') throw new ProblemError('review-decided', 'An operator has decided the review.');
    return ok(row);
  },
});

/** Reports of modules, the decisions of operators about them, and the answers of vendors. */
export const REVIEW_ENDPOINTS = [
  ...tagged('Installations', [listOwn, report, readOwn]),
  ...tagged('Modules', [listOfModule, answer]),
  ...tagged('Operators', [list, decide]),
];
