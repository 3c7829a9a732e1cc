import { deliverAgain, listAttempts } from '../../shared/db/webhooks/attempts.ts';
import type { WebhookModel } from '../../shared/db/webhooks/models.ts';
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
import { answerOf, created, json, ok, reply } from '../http/answer.ts';
import { creatingEndpoint } from '../http/creating-endpoint.ts';
import { deleteEndpoint, endpoint, listEndpoint, tagged, type Endpoint } from '../http/endpoint.ts';
import { requireCallableAddress } from '../http/request/callable-address.ts';
import { jsonBody, optionalJsonBody } from '../http/request/json-body.ts';
import { mapPage, page } from '../http/pagination.ts';
import { found, ProblemError } from '../http/problem.ts';
import { DEPLOYMENT_OWNER, MODULE_OWNER, type WebhookOwner } from './webhook-owners.ts';
import { attempt, rotateInput, testAnswer } from './webhook-schemas.ts';

const NO_WEBHOOK = 'There is no such webhook.';
const DAY_SECONDS = 86_400;

/** Makes an endpoint of one owner's webhooks. */
type Make = <Caller>(owner: WebhookOwner<Caller>) => Endpoint;

const onePathOf = <Caller>({ path }: WebhookOwner<Caller>) => `${path}/{webhookId}` as const;

/** For the only answers with the secret: no cache may store them. */
const NO_STORE = { 'Cache-Control': 'no-store' };

const register: Make = (owner) =>
  creatingEndpoint(owner.path, {
    id: `create${owner.noun}`,
    summary: `Register a webhook${owner.of}`,
    description:
      'From now on, the service calls the address for each change of these types, as Standard Webhooks 1.0.0 ' +
      'describes. Returns the secret, which is never shown again.',
    access: owner.write,
    body: jsonBody('The webhook.', owner.schemas.webhookInput),
    answers: {
      201: created('The webhook with its secret.', owner.schemas.webhookWithSecret, ['Cache-Control']),
    },
    problems: ['quota-exceeded'],
    // Earlier commits are not delivered.
    followsChanges: true,
    async handle({ api, caller, path, body, limits }) {
      requireCallableAddress(api, '/url', body.url);
      const { url, types = null, description = null } = body;
      const key = owner.keyOf(caller, path);
      const max = { module: limits.maxWebhooksPerModule, organization: limits.maxWebhooksPerOrganization };
      const actor = { ...owner.actorOf(caller), max };
      const settings = { url, types, description };
      const row = await createWebhook(api.database, api.encryptionKeys, key, settings, actor);
      const made = found(row, 'The organization has no such module.');
      const { organizationId: orgId, moduleId } = key;
      const location = owner.path.replace('{orgId}', orgId).replace('{moduleId}', moduleId);
      return reply(201, withSecret(made), { ...NO_STORE, Location: `${location}/${made.webhook.id}` });
    },
  });

const list: Make = (owner) =>
  listEndpoint(owner.path, {
    id: `list${owner.noun}s`,
    summary: `List the webhooks${owner.of || ' of a module'}`,
    description: 'Newest first, without secrets.',
    access: owner.read,
    page: page(owner.schemas.webhook, 'webhooks'),
    list: async ({ api, caller, path }, request) =>
      mapPage(await listWebhooks(api.database, owner.keyOf(caller, path), request), webhookAnswer),
  });

const read: Make = (owner) =>
  endpoint('get', onePathOf(owner), {
    id: `read${owner.noun}`,
    summary: `Read a webhook${owner.of}`,
    access: owner.read,
    answers: { 200: json('The webhook.', owner.schemas.webhook) },
    problems: ['not-found'],
    async handle({ api, caller, path }) {
      const row = await findWebhook(api.database, webhookKey(owner, caller, path));
      return ok(webhookAnswer(found(row, NO_WEBHOOK)));
    },
  });

const change: Make = (owner) =>
  endpoint('patch', onePathOf(owner), {
    id: `change${owner.noun}`,
    summary: `Change, pause or enable a webhook${owner.of}`,
    description:
      'Waiting deliveries use the new address. New `types` apply to each change that has no delivery yet: also to what ' +
      'happened while the webhook was not enabled, or had 10,000 waiting deliveries.',
    access: owner.write,
    body: jsonBody('The changes.', owner.schemas.webhookChange),
    answers: { 200: json('The webhook.', owner.schemas.webhook) },
    problems: ['not-found'],
    async handle({ api, caller, path, body }) {
      if (body.url !== undefined) requireCallableAddress(api, '/url', body.url);
      const key = webhookKey(owner, caller, path);
      const row = await changeWebhook(api.database, key, body, owner.actorOf(caller));
      return ok(webhookAnswer(found(row, NO_WEBHOOK)));
    },
  });

const remove: Make = (owner) =>
  deleteEndpoint(onePathOf(owner), {
    id: `delete${owner.noun}`,
    summary: `Delete a webhook${owner.of}`,
    description: 'Also deletes its waiting deliveries and its attempts.',
    access: owner.write,
    problems: ['not-found'],
    async handle({ api, caller, path }) {
      const key = webhookKey(owner, caller, path);
      found(await deleteWebhook(api.database, key, owner.actorOf(caller)), NO_WEBHOOK);
    },
  });

const rotate: Make = (owner) =>
  creatingEndpoint(`${onePathOf(owner)}/rotate`, {
    id: `rotate${owner.noun}`,
    summary: `Rotate the keys of a webhook${owner.of}`,
    description:
      'Makes a new secret and a new public key. Calls are signed with the old ones too for `overlapSeconds`, so ' +
      'that the receiver can switch.',
    access: owner.write,
    body: optionalJsonBody('The overlap.', rotateInput),
    answers: {
      200: json('The webhook with its new secret.', owner.schemas.webhookWithSecret, ['Cache-Control']),
    },
    problems: ['not-found'],
    async handle({ api, caller, path, body }) {
      const key = webhookKey(owner, caller, path);
      const { overlapSeconds = DAY_SECONDS } = body;
      const actor = owner.actorOf(caller);
      const rotated = await rotateWebhook(api.database, api.encryptionKeys, key, overlapSeconds, actor);
      return ok(withSecret(found(rotated, NO_WEBHOOK)), NO_STORE);
    },
  });

const test: Make = (owner) =>
  creatingEndpoint(`${onePathOf(owner)}/test`, {
    id: `test${owner.noun}`,
    summary: `Send a test event to a webhook${owner.of}`,
    description: 'The event has the type `webhook.test`. Its attempts are listed with those of changes.',
    access: owner.write,
    answers: { 202: json('The event, which is delivered within a second.', testAnswer) },
    problems: ['not-found', 'webhook-not-enabled', 'quota-exceeded'],
    async handle({ api, caller, path }) {
      const key = webhookKey(owner, caller, path);
      const event = found(await testWebhook(api.database, key, owner.actorOf(caller)), NO_WEBHOOK);
      if (event === 'not-enabled')
        throw new ProblemError('webhook-not-enabled', 'The webhook is not enabled, so it is not called.');
      return reply(202, event);
    },
  });

const resend: Make = (owner) =>
  creatingEndpoint(`${onePathOf(owner)}/attempts/{attemptId}/resend`, {
    id: `resend${owner.noun}`,
    summary: `Deliver the change of a call again${owner.of === '' ? '' : ', for the operator'}`,
    description:
      'With the same `webhook-id`, as far as changes are kept: for 30 days by default. A change that waits for a later ' +
      'attempt is delivered at once.',
    access: owner.write,
    answers: { 202: { description: 'It is delivered again.' } },
    problems: ['not-found'],
    async handle({ api, caller, path }) {
      const key = webhookKey(owner, caller, path);
      const resent = await deliverAgain(api.database, key, path.attemptId, owner.actorOf(caller));
      const isKept = found(resent, NO_WEBHOOK) !== 'change-missing';
      found(isKept, 'The webhook has no such call, or the change that it delivered is not kept.');
      return reply(202, undefined);
    },
  });

const attempts: Make = (owner) =>
  listEndpoint(`${onePathOf(owner)}/attempts`, {
    id: `list${owner.noun}Attempts`,
    summary: `List the calls of a webhook${owner.of}`,
    description: 'Newest first; kept for 30 days by default.',
    access: owner.read,
    problems: ['not-found'],
    page: page(attempt, 'calls of a webhook', { brief: 'calls' }),
    list: async ({ api, caller, path }, request) =>
      found(await listAttempts(api.database, webhookKey(owner, caller, path), request), NO_WEBHOOK),
  });

const ALL: readonly Make[] = [register, list, read, change, remove, rotate, test, resend, attempts];

/** A vendor's webhooks, and what is sent to them. */
export const WEBHOOK_ENDPOINTS = tagged(
  'Webhooks',
  ALL.map((make) => make(MODULE_OWNER)),
);

/** The operator's webhooks. */
export const OPERATOR_WEBHOOK_ENDPOINTS = ALL.map((make) => make(DEPLOYMENT_OWNER));

function withSecret({ webhook: row, secret }: WebhookWithSecret) {
  return { ...webhookAnswer(row), secret };
}

function webhookKey<Caller>(
  owner: WebhookOwner<Caller>,
  caller: Caller,
  path: { readonly moduleId: string; readonly webhookId: string },
) {
  return { ...owner.keyOf(caller, path), id: path.webhookId };
}

function webhookAnswer(row: WebhookModel) {
  return answerOf(row, { types: row.types?.filter(isChangeType) ?? null, firstFailedAt: row.failingSince });
}
