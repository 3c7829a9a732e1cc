import { REPORT_REASONS, REVIEW_DECISIONS, REVIEW_KINDS } from '../../shared/db/modules/models.ts';
import {
  answerReview,
  decideReview,
  listModuleReviews,
  listReviews,
  reportModule,
} from '../../shared/db/modules/reviews.ts';
import { actorOf, moduleKey, tokenActor } from '../auth/access.ts';
import { farmerAdmin, operator, vendorAdmin, vendorMember } from '../auth/endpoint-access.ts';
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

const MEMBERS = {
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
  decisionReason: orNull(text("The operator's reason for the decision, for the vendor.")),
  decidedAt: orNull(dateTime('When an operator decided; null: not yet.')),
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

const report = creatingEndpoint('/api/v8.0/{orgId}/availableModules/{moduleId}/reports', {
  id: 'createReport',
  summary: 'Report a module',
  description:
    'Operators read the report, and decide about it. The vendor reads the decision, but neither the text nor the organization.',
  access: farmerAdmin,
  body: jsonBody(
    'The report.',
    inputObject('CreateReport', 'Why operators should look at a module.', {
      reason: oneOf(REPORT_REASONS, 'What the module is reported for.'),
      text: reasonText('What is wrong, for operators.'),
    }),
  ),
  answers: { 201: created('The report.', moduleReview) },
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
    'The vendor reads the decision and its reason, and can answer once. A decision stops and releases no module: an operator puts it into quarantine, or the vendor releases the approved revision.',
  access: operator,
  parameters: REVIEW_PATH,
  body: jsonBody(
    'The decision.',
    inputObject('DecideReview', 'The decision about a review.', {
      decision: oneOf(
        REVIEW_DECISIONS,
        'Whether the report is `upheld` or `dismissed`, or the first release `approved` or `declined`.',
      ),
      reason: reasonText('The reason, for the vendor.'),
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
  ...tagged('Installations', [report]),
  ...tagged('Modules', [listOfModule, answer]),
  ...tagged('Operators', [list, decide]),
];
