import { requireCallable, AddressRefusedError } from '../../shared/outbound/outbound-url.ts';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  rotateWebhook,
  type WebhookWithSecret,
} from '../../shared/db/webhooks/webhooks.ts';
import type { ApiContext } from '../context.ts';
import { actorOf } from '../auth/access.ts';
import { vendorAdmin, vendorMember } from '../auth/endpoint-access.ts';
import { json, ok, reply } from '../http/answer.ts';
import { deleteEndpoint, endpoint, tagged } from '../http/endpoint.ts';
import { bodyProblem, jsonBody, optionalJsonBody } from '../http/request/json-body.ts';
import { mapPage, PAGE_QUERY, pageAnswer, pageRequest } from '../http/pagination.ts';
import { ProblemError } from '../http/problem.ts';
import { pageOf } from '../http/schema.ts';
import {
  rotateInput,
  webhook,
  webhookChange,
  webhookInput,
  webhookOf,
  webhookWithSecret,
} from './webhook-schemas.ts';

const path = '/api/v8.0/{orgId}/webhooks/{moduleId}';
const onePath = `${path}/{webhookId}` as const;

const DAY_SECONDS = 86_400;

/** For the only answers with the secret: no cache may store them. */
const NO_STORE = { 'Cache-Control': 'no-store' };

const register = endpoint('post', path, {
  id: 'registerWebhook',
  summary: 'Register a webhook',
  description:
    'The address is called for each change of these types from now on, as Standard Webhooks 1.0.0 describes it. Returns ' +
    'the secret, which is never shown again.',
  access: vendorAdmin,
  body: jsonBody('The webhook.', webhookInput),
  answers: { 201: json('The webhook with its secret.', webhookWithSecret, ['Cache-Control']) },
  problems: ['quota-exceeded'],
  async handle({ api, caller, path: { moduleId }, body }) {
    requireUrl(api, body.url);
    const { url, types = null, description = null } = body;
    const module = { organizationId: caller.organization.id, moduleId };
    const actor = { ...actorOf(caller), max: api.config.quotas.maxWebhooksPerModule };
    const settings = { url, types, description };
    // What was committed before gets its position now, so that it is not delivered.
    await api.changes.sequence();
    const created = await createWebhook(api.database, api.encryptionKeys, module, settings, actor);
    if (created === null) throw new ProblemError('not-found', 'The organization has no such module.');
    return reply(201, withSecret(created), NO_STORE);
  },
});

const list = endpoint('get', path, {
  id: 'listWebhooks',
  summary: 'List the webhooks of a module',
  description: 'Newest first, without secrets.',
  access: vendorMember,
  query: PAGE_QUERY,
  answers: { 200: json('A page of webhooks.', pageOf('WebhookPage', webhook, 'A page of webhooks.')) },
  async handle({ api, caller, path: { moduleId }, query }) {
    const module = { organizationId: caller.organization.id, moduleId };
    return ok(pageAnswer(mapPage(await listWebhooks(api.database, module, pageRequest(query)), webhookOf)));
  },
});

const read = endpoint('get', onePath, {
  id: 'getWebhook',
  summary: 'Read a webhook',
  access: vendorMember,
  answers: { 200: json('The webhook.', webhook) },
  async handle({ api, caller, path: { moduleId, webhookId } }) {
    const key = { organizationId: caller.organization.id, moduleId, id: webhookId };
    const row = await findWebhook(api.database, key);
    if (row === null) throw noWebhook();
    return ok(webhookOf(row));
  },
});

const change = endpoint('patch', onePath, {
  id: 'changeWebhook',
  summary: 'Change, pause or enable a webhook',
  description: 'What waits for the webhook is delivered as it is after the change.',
  access: vendorAdmin,
  body: jsonBody('What to change.', webhookChange),
  answers: { 200: json('The webhook.', webhook) },
  async handle({ api, caller, path: { moduleId, webhookId }, body }) {
    if (body.url !== undefined) requireUrl(api, body.url);
    const key = { organizationId: caller.organization.id, moduleId, id: webhookId };
    const row = await changeWebhook(api.database, key, body, actorOf(caller));
    if (row === null) throw noWebhook();
    return ok(webhookOf(row));
  },
});

const remove = deleteEndpoint(onePath, {
  id: 'deleteWebhook',
  summary: 'Delete a webhook',
  description: 'With what waits for it, and its attempts.',
  access: vendorAdmin,
  async handle({ api, caller, path: { moduleId, webhookId } }) {
    const key = { organizationId: caller.organization.id, moduleId, id: webhookId };
    if (!(await deleteWebhook(api.database, key, actorOf(caller)))) throw noWebhook();
  },
});

const rotate = endpoint('post', `${onePath}/rotate`, {
  id: 'rotateWebhook',
  summary: 'Rotate the keys of a webhook',
  description:
    'Makes a new secret and a new public key. Calls are signed with the old ones too for `overlapSeconds`, so that the ' +
    'receiver can change them meanwhile.',
  access: vendorAdmin,
  body: optionalJsonBody('How long both sign.', rotateInput),
  answers: { 200: json('The webhook with its new secret.', webhookWithSecret, ['Cache-Control']) },
  async handle({ api, caller, path: { moduleId, webhookId }, body }) {
    const key = { organizationId: caller.organization.id, moduleId, id: webhookId };
    const { overlapSeconds = DAY_SECONDS } = body;
    const actor = actorOf(caller);
    const rotated = await rotateWebhook(api.database, api.encryptionKeys, key, overlapSeconds, actor);
    if (rotated === null) throw noWebhook();
    return ok(withSecret(rotated), NO_STORE);
  },
});

/** A vendor's webhooks. */
export const WEBHOOK_ENDPOINTS = tagged('Webhooks', [register, list, read, change, remove, rotate]);

function withSecret({ webhook: row, secret }: WebhookWithSecret) {
  return { ...webhookOf(row), secret };
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

/** The refusal of an ID that no webhook of the module has. */
export function noWebhook(): ProblemError {
  return new ProblemError('not-found', 'The module has no such webhook.');
}
