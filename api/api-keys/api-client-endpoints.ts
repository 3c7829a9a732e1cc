import { Type } from 'typebox';
import { makeApiKey } from '../../shared/db/access/api-key.ts';
import {
  listApiKeys,
  registerApiClient,
  revokeApiClient,
  rotateApiClient,
} from '../../shared/db/access/api-keys.ts';
import { listKeyRequests } from '../../shared/db/access/key-requests.ts';
import type { ApiKeyModel } from '../../shared/db/access/models.ts';
import type { ApiContext } from '../context.ts';
import { actorOf, moduleKey } from '../auth/access.ts';
import { vendorAdmin, vendorMember } from '../auth/endpoint-access.ts';
import { json, ok, answerOf } from '../http/answer.ts';
import { creatingEndpoint } from '../http/creating-endpoint.ts';
import { deleteEndpoint, listEndpoint, tagged } from '../http/endpoint.ts';
import { MAX_LOGGED_AT_ONCE } from '../machine-access/key-request-log.ts';
import { daysAhead, expiryOf, optionalJsonBody } from '../http/request/json-body.ts';
import { page, mapPage } from '../http/pagination.ts';
import { found } from '../http/problem.ts';
import {
  booleanOrBare,
  dateTime,
  guid,
  inputExpiry,
  inputGuid,
  inputObject,
  inputOverlap,
  integer,
  namedObject,
  orNull,
  shownOnce,
  text,
} from '../http/schema.ts';

const path = '/api/v8.0/{orgId}/apiClients/{moduleId}';
const NO_CLIENT = 'The module has no such API client, or the client was revoked.';

const registerClient = inputObject('RegisterApiClient', 'Name and expiry of a new key.', {
  clientName: Type.Optional(
    orNull(
      Type.String({
        maxLength: 200,
        pattern: '\\S',
        description: 'A name for the client. Default: `ApiKey_` and a GUID.',
      }),
    ),
  ),
  expiresOn: inputExpiry('When the key expires, in the future. Default and maximum: the lifetime of keys.'),
});

const rotateClient = inputObject('RotateApiClient', 'How long both keys work.', {
  overlapSeconds: inputOverlap('The time for which the old key keeps working, in seconds. Default: 0.'),
});

const newApiKey = namedObject('ApiKeyWithSecret', 'An API client with its key.', {
  moduleId: guid('The module that the key belongs to.'),
  clientSecret: shownOnce(Type.String({ pattern: '^mmk_[0-9A-Za-z]{49}$' }), 'The API key.'),
  clientName: text('The name of the client.'),
  parentId: guid("The module's vendor."),
  clientId: guid('The ID of the client, which stays the same when the key is rotated.'),
  expiresOn: dateTime('When the key stops working.'),
  id: guid('The ID of this key.'),
});

const apiKey = namedObject('ApiKey', 'An API key, without its secret.', {
  id: guid('The ID of this key.'),
  clientId: guid('The ID of the client, which stays the same when the key is rotated.'),
  clientName: text('The name of the client.'),
  moduleId: guid('The module that the key belongs to.'),
  parentId: guid("The module's vendor."),
  secretStart: text('The first 12 characters, to identify the key.'),
  createdAt: dateTime('When the key was created.'),
  expiresOn: dateTime('When the key stops working.'),
  revokedAt: orNull(dateTime('When the key was revoked; null if it was not.')),
  lastUsedOn: orNull(
    dateTime('When the key was last used, recorded every few seconds; null if it never was.'),
  ),
});

/** For the only answer with the secret: no cache may store it. */
const NO_STORE = { 'Cache-Control': 'no-store' };

const register = creatingEndpoint('/api/v8.0/{orgId}/registerApiClient/{moduleId}', {
  id: 'registerApiClient',
  summary: 'Create an API key',
  description: 'Returns the key, which is never shown again. The body may be empty.',
  access: vendorAdmin,
  body: optionalJsonBody('Name and expiry, if not the defaults.', registerClient),
  answers: { 200: json('The client with its key.', newApiKey, ['Cache-Control']) },
  problems: ['quota-exceeded'],
  async handle({ api, caller, path, body, limits }) {
    const { clientName = null, expiresOn = null } = body;
    const client = { clientName, expiresAt: expiry(api, expiresOn) };
    const key = makeApiKey();
    const actor = { ...actorOf(caller), max: limits.maxApiKeysPerModule };
    const row = await registerApiClient(api.database, moduleKey(caller, path), client, key, actor);
    const made = found(row, 'The organization has no such module.');
    return ok({ ...keyAnswer(made), clientSecret: key.secret }, NO_STORE);
  },
});

const list = listEndpoint(path, {
  id: 'listApiClients',
  summary: 'List API keys',
  description: 'Newest first, without secrets.',
  access: vendorMember,
  page: page(apiKey, 'API keys', { brief: 'keys' }),
  list: async ({ api, caller, path }, request) =>
    mapPage(await listApiKeys(api.database, moduleKey(caller, path), request), keyAnswer),
});

const revoke = deleteEndpoint(`${path}/{clientId}`, {
  id: 'deleteApiClient',
  summary: 'Revoke an API client',
  description: 'Revokes all its keys. They stop working within a second.',
  access: vendorAdmin,
  async handle({ api, caller, path }) {
    const client = { ...moduleKey(caller, path), clientId: path.clientId };
    found(await revokeApiClient(api.database, client, actorOf(caller)), NO_CLIENT);
  },
});

const rotate = creatingEndpoint(`${path}/{clientId}/rotate`, {
  id: 'rotateApiClient',
  summary: 'Rotate an API key',
  description: 'The old key keeps working for `overlapSeconds`; without a body it stops at once.',
  access: vendorAdmin,
  body: optionalJsonBody('How long both keys work.', rotateClient),
  answers: { 200: json('The client with its new key.', newApiKey, ['Cache-Control']) },
  problems: ['quota-exceeded'],
  async handle({ api, caller, path, body, limits }) {
    const client = { ...moduleKey(caller, path), clientId: path.clientId };
    const rotation = { overlapSeconds: body.overlapSeconds ?? 0, expiresAt: expiry(api, null) };
    const key = makeApiKey();
    const actor = { ...actorOf(caller), max: limits.maxApiKeysPerModule };
    const row = found(await rotateApiClient(api.database, client, rotation, key, actor), NO_CLIENT);
    return ok({ ...keyAnswer(row), clientSecret: key.secret }, NO_STORE);
  },
});

const keyRequest = namedObject('KeyRequest', 'A request with an API key.', {
  id: guid('The ID of the entry.'),
  clientId: guid('The API client whose key was sent.'),
  keyId: guid('The ID of that key.'),
  method: text('The method of the request.'),
  route: text('The path of the endpoint, with the names of its parameters in place of their values.'),
  status: orNull(integer('The status of the answer; null: the client disconnected before the answer.', 100)),
  traceId: text('The ID of the request, as its answer has it in `X-Trace-Id`.'),
  createdAt: dateTime('When the request was received.'),
});

const requests = listEndpoint('/api/v8.0/{orgId}/modules/{moduleId}/keyRequests', {
  id: 'listKeyRequests',
  summary: 'List requests with API keys',
  description:
    'The requests with valid keys of the module in the last seven days, newest first. A request is listed within ten ' +
    `seconds of its answer. Each API process logs at most ${MAX_LOGGED_AT_ONCE} of an organization in ten seconds.`,
  access: vendorMember,
  query: {
    clientId: inputGuid('Only requests of this API client.'),
    failed: booleanOrBare('Only requests with a status of 400 or more, or without an answer.'),
  },
  page: page(keyRequest, 'requests'),
  list: ({ api, caller, path, query: { clientId = null, failed = false } }, request) =>
    listKeyRequests(api.database, moduleKey(caller, path), { clientId, isFailed: failed }, request),
});

/** A vendor's API keys, and the requests of its back ends. */
export const API_CLIENT_ENDPOINTS = tagged('API clients', [register, list, revoke, rotate, requests]);

/** When a new key expires: as requested, limited by the configured lifetime. */
function expiry({ config: { machineAccess } }: Pick<ApiContext, 'config'>, requested: string | null): Date {
  const days = machineAccess.apiKeyLifetimeDays;
  return requested === null ? daysAhead(days) : expiryOf(requested, days);
}

function keyAnswer(row: ApiKeyModel) {
  return answerOf(row, {
    parentId: row.organizationId,
    expiresOn: row.expiresAt,
    lastUsedOn: row.lastUsedAt,
  });
}
