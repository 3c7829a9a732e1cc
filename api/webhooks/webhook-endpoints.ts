import { deliverAgain, listAttempts } from '../../shared/db/webhooks/attempts.ts';
import type { WebhookModel } from '../../shared/db/webhooks/models.ts';
import { requireCallable, AddressRefusedError } from '../../shared/outbound/outbound-url.ts';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  rotateWebhook,
  testWebhook,
  type WebhookWithSecret,
} from '../../shared/db/webhooks/webhooks.ts';
import { isChangeType } from '../changes/change.ts';
import type { ApiContext } from '../context.ts';
import { actorOf, moduleKey, type OrganizationAccess } from '../auth/access.ts';
import { vendorAdmin, vendorMember } from '../auth/endpoint-access.ts';
import { answerOf, created, json, ok, reply } from '../http/answer.ts';
import { deleteEndpoint, endpoint, listEndpoint, tagged } from '../http/endpoint.ts';
import { bodyProblem, jsonBody, optionalJsonBody } from '../http/request/json-body.ts';
import { mapPage, page } from '../http/pagination.ts';
import { found, ProblemError } from '../http/problem.ts';
import {
  attempt,
  rotateInput,
  testAnswer,
  webhook,
  webhookChange,
  webhookInput,
  webhookWithSecret,
} from './webhook-schemas.ts';

const path = '/api/v8.0/{orgId}/webhooks/{moduleId}';
const onePath = `${path}/{webhookId}` as const;

const NO_WEBHOOK = 'The module has no such webhook.';
const DAY_SECONDS = 86_400;

/** For the only answers with the secret: no cache may store them. */
const NO_STORE = { 'Cache-Control': 'no-store' };

const register = endpoint('post', path, {
  id: 'createWebhook',
  summary: 'Register a webhook',
  description:
    'From now on, the service calls the address for each change of these types, as Standard Webhooks 1.0.0 ' +
    'describes. Returns the secret, which is never shown again.',
  access: vendorAdmin,
  body: jsonBody('The webhook.', webhookInput),
  answers: { 201: created('The webhook with its secret.', webhookWithSecret, ['Cache-Control']) },
  problems: ['quota-exceeded'],
  async handle({ api, caller, path, body }) {
    requireUrl(api, body.url);
    const { url, types = null, description = null } = body;
    const { maxWebhooksPerModule, maxWebhooksPerOrganization } = api.config.quotas;
    const max = { module: maxWebhooksPerModule, organization: maxWebhooksPerOrganization };
    const actor = { ...actorOf(caller), max };
    const settings = { url, types, description };
    // Earlier commits get their positions now, so that they are not delivered.
    await api.changes.sequence();
    const key = moduleKey(caller, path);
    const row = await createWebhook(api.database, api.encryptionKeys, key, settings, actor);
    const made = found(row, 'The organization has no such module.');
    const { organizationId, moduleId } = key;
    const location = `/api/v8.0/${organizationId}/webhooks/${moduleId}/${made.webhook.id}`;
    return reply(201, withSecret(made), { ...NO_STORE, Location: location });
  },
});

const list = listEndpoint(path, {
  id: 'listWebhooks',
  summary: 'List the webhooks of a module',
  description: 'Newest first, without secrets.',
  access: vendorMember,
  page: page(webhook, 'webhooks'),
  list: async ({ api, caller, path }, request) =>
    mapPage(await listWebhooks(api.database, moduleKey(caller, path), request), webhookAnswer),
});

const read = endpoint('get', onePath, {
  id: 'readWebhook',
  summary: 'Read a webhook',
  access: vendorMember,
  answers: { 200: json('The webhook.', webhook) },
  async handle({ api, caller, path }) {
    const row = await findWebhook(api.database, webhookKey(caller, path));
    return ok(webhookAnswer(found(row, NO_WEBHOOK)));
  },
});

const change = endpoint('patch', onePath, {
  id: 'changeWebhook',
  summary: 'Change, pause or enable a webhook',
  description: 'Waiting deliveries use the new settings.',
  access: vendorAdmin,
  body: jsonBody('The changes.', webhookChange),
  answers: { 200: json('The webhook.', webhook) },
  async handle({ api, caller, path, body }) {
    if (body.url !== undefined) requireUrl(api, body.url);
    const key = webhookKey(caller, path);
    const row = await changeWebhook(api.database, key, body, actorOf(caller));
    return ok(webhookAnswer(found(row, NO_WEBHOOK)));
  },
});

const remove = deleteEndpoint(onePath, {
  id: 'deleteWebhook',
  summary: 'Delete a webhook',
  description: 'Also deletes its waiting deliveries and its attempts.',
  access: vendorAdmin,
  async handle({ api, caller, path }) {
    const key = webhookKey(caller, path);
    found(await deleteWebhook(api.database, key, actorOf(caller)), NO_WEBHOOK);
  },
});

const rotate = endpoint('post', `${onePath}/rotate`, {
  id: 'rotateWebhook',
  summary: 'Rotate the keys of a webhook',
  description:
    'Makes a new secret and a new public key. Calls are signed with the old ones too for `overlapSeconds`, so ' +
    'that the receiver can switch.',
  access: vendorAdmin,
  body: optionalJsonBody('The overlap.', rotateInput),
  answers: { 200: json('The webhook with its new secret.', webhookWithSecret, ['Cache-Control']) },
  async handle({ api, caller, path, body }) {
    const key = webhookKey(caller, path);
    const { overlapSeconds = DAY_SECONDS } = body;
    const actor = actorOf(caller);
    const rotated = await rotateWebhook(api.database, api.encryptionKeys, key, overlapSeconds, actor);
    return ok(withSecret(found(rotated, NO_WEBHOOK)), NO_STORE);
  },
});

const test = endpoint('post', `${onePath}/test`, {
  id: 'testWebhook',
  summary: 'Send a test event to a webhook',
  description: 'The event has the type `webhook.test`. Its attempts are listed with those of changes.',
  access: vendorAdmin,
  answers: { 202: json('The event, which is delivered within a second.', testAnswer) },
  problems: ['webhook-not-enabled', 'quota-exceeded'],
  async handle({ api, caller, path }) {
    const key = webhookKey(caller, path);
    const event = found(await testWebhook(api.database, key, actorOf(caller)), NO_WEBHOOK);
    if (event === 'not-enabled')
      throw new ProblemError('webhook-not-enabled', 'The webhook is not enabled, so it is not called.');
    return reply(202, event);
  },
});

const resend = endpoint('post', `${onePath}/attempts/{attemptId}/resend`, {
  id: 'resendWebhook',
  summary: 'Deliver the change of a call again',
  description:
    'With the same `webhook-id`, as far as changes are kept: for 30 days by default. A change that waits for a later ' +
    'attempt is delivered at once.',
  access: vendorAdmin,
  answers: { 202: { description: 'It is delivered again.' } },
  async handle({ api, caller, path }) {
    const key = webhookKey(caller, path);
    const resent = await deliverAgain(api.database, key, path.attemptId, actorOf(caller));
    const isKept = found(resent, NO_WEBHOOK) !== 'change-missing';
    found(isKept, 'The webhook has no such call, or the change that it delivered is not kept.');
    return reply(202, undefined);
  },
});

const attempts = listEndpoint(`${onePath}/attempts`, {
  id: 'listWebhookAttempts',
  summary: 'List the calls of a webhook',
  description: 'Newest first; kept for 30 days by default.',
  access: vendorMember,
  page: page(attempt, 'calls of a webhook', { brief: 'calls' }),
  list: async ({ api, caller, path }, request) =>
    found(await listAttempts(api.database, webhookKey(caller, path), request), NO_WEBHOOK),
});

/** A vendor's webhooks, and what is sent to them. */
export const WEBHOOK_ENDPOINTS = tagged('Webhooks', [
  register,
  list,
  read,
  change,
  remove,
  rotate,
  test,
  resend,
  attempts,
]);

function withSecret({ webhook: row, secret }: WebhookWithSecret) {
  return { ...webhookAnswer(row), secret };
}

/** @throws ProblemError 400 for an address that is never called */
function requireUrl({ config }: ApiContext, url: string): void {
  try {
    requireCallable(url, config.outbound);
  } catch (error) {
    if (!(error instanceof AddressRefusedError)) throw error;
    throw bodyProblem([
      {
        pointer: '/url',
        detail: `The address cannot be called: ${error.message}. Use an https address on the public internet.`,
      },
    ]);
  }
}

function webhookKey(
  caller: OrganizationAccess,
  path: { readonly moduleId: string; readonly webhookId: string },
) {
  return { ...moduleKey(caller, path), id: path.webhookId };
}

function webhookAnswer(row: WebhookModel) {
  return answerOf(row, { types: row.types?.filter(isChangeType) ?? null });
}
