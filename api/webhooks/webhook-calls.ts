import { listAttempts } from '../../shared/db/webhooks/attempts.ts';
import { deliverAgain, testWebhook } from '../../shared/db/webhooks/requested-deliveries.ts';
import { actorOf } from '../auth/access.ts';
import { vendorAdmin, vendorMember } from '../auth/endpoint-access.ts';
import { json, ok, reply } from '../http/answer.ts';
import { endpoint, tagged } from '../http/endpoint.ts';
import { jsonBody } from '../http/request/json-body.ts';
import { mapPage, PAGE_QUERY, pageAnswer, pageRequest } from '../http/pagination.ts';
import { ProblemError } from '../http/problem.ts';
import { pageOf } from '../http/schema.ts';
import { noWebhook } from './webhook-endpoints.ts';
import { attempt, attemptOf, replayInput, testAnswer } from './webhook-schemas.ts';

const path = '/api/v8.0/{orgId}/webhooks/{moduleId}/{webhookId}';

const test = endpoint('post', `${path}/test`, {
  id: 'testWebhook',
  summary: 'Send a test event to a webhook',
  description: 'The event has the type `webhook.test`. Its attempts are listed with those of changes.',
  access: vendorAdmin,
  answers: { 202: json('The event, which is delivered within a second.', testAnswer) },
  problems: ['webhook-not-enabled'],
  async handle({ api, caller, path: { moduleId, webhookId } }) {
    const key = { organizationId: caller.organization.id, moduleId, id: webhookId };
    const event = await testWebhook(api.database, key, actorOf(caller));
    if (event === null) throw noWebhook();
    if (event === 'not-enabled')
      throw new ProblemError('webhook-not-enabled', 'The webhook is not enabled, so it is not called.');
    return reply(202, event);
  },
});

const replay = endpoint('post', `${path}/replay`, {
  id: 'replayWebhook',
  summary: 'Deliver a change again',
  description:
    'With the same ID, as far as changes are kept: for 30 days by default. A change that waits for a later attempt is ' +
    'delivered at once.',
  access: vendorAdmin,
  body: jsonBody('Which change.', replayInput),
  answers: { 202: { description: 'It is delivered again.' } },
  async handle({ api, caller, path: { moduleId, webhookId }, body }) {
    const key = { organizationId: caller.organization.id, moduleId, id: webhookId };
    const replayed = await deliverAgain(api.database, key, body.eventId, actorOf(caller));
    if (replayed === null) throw noWebhook();
    if (replayed === 'event-missing')
      throw new ProblemError('not-found', 'No change of the module that is kept has this eventId.');
    return reply(202, undefined);
  },
});

const attempts = endpoint('get', `${path}/attempts`, {
  id: 'listWebhookAttempts',
  summary: 'List the calls of a webhook',
  description: 'Newest first; kept for 30 days by default.',
  access: vendorMember,
  query: PAGE_QUERY,
  answers: {
    200: json('A page of calls.', pageOf('WebhookAttemptPage', attempt, 'A page of calls of a webhook.')),
  },
  async handle({ api, caller, path: { moduleId, webhookId }, query }) {
    const key = { organizationId: caller.organization.id, moduleId, id: webhookId };
    const page = await listAttempts(api.database, key, pageRequest(query));
    if (page === null) throw noWebhook();
    return ok(pageAnswer(mapPage(page, attemptOf)));
  },
});

/** What is sent to webhooks: tests, replays, and how calls ended. */
export const WEBHOOK_CALL_ENDPOINTS = tagged('Webhooks', [test, replay, attempts]);
