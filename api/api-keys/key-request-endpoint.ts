import { listKeyRequests } from '../../shared/db/access/key-requests.ts';
import { moduleKey } from '../auth/access.ts';
import { vendorMember } from '../auth/endpoint-access.ts';
import { listEndpoint } from '../http/endpoint.ts';
import { page } from '../http/pagination.ts';
import {
  booleanOrBare,
  dateTime,
  guid,
  inputGuid,
  integer,
  namedObject,
  orNull,
  text,
} from '../http/schema.ts';
import { MAX_LOGGED_AT_ONCE } from '../machine-access/key-request-log.ts';

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

/** The requests of a module's back end. */
export const listKeyRequestsEndpoint = listEndpoint('/api/v8.0/{orgId}/modules/{moduleId}/keyRequests', {
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
