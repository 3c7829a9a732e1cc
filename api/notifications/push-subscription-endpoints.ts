import { ECDH } from 'node:crypto';
import { Type } from 'typebox';
import { MESSAGE_LANGUAGES } from '../../shared/db/notifications/notification-settings.ts';
import {
  addPushSubscription,
  deletePushSubscription,
  listPushSubscriptions,
} from '../../shared/db/notifications/push-subscriptions.ts';
import { farmerMember } from '../auth/endpoint-access.ts';
import { describeUserAgent } from '../auth/sign-in.ts';
import { created, reply } from '../http/answer.ts';
import { creatingEndpoint } from '../http/creating-endpoint.ts';
import { deleteEndpoint, wholeListEndpoint } from '../http/endpoint.ts';
import { page } from '../http/pagination.ts';
import { found } from '../http/problem.ts';
import { requireCallableAddress } from '../http/request/callable-address.ts';
import { bodyProblem, smallJsonBody } from '../http/request/json-body.ts';
import { dateTime, guid, inputObject, namedObject, orNull, text } from '../http/schema.ts';
import { personOf } from './person-of.ts';

const path = '/api/v8.0/{orgId}/pushSubscriptions';

const subscription = namedObject('PushSubscription', 'A browser in which you are notified of alerts.', {
  id: guid('The ID of the subscription.'),
  endpoint: text('The address at the push service of the browser.'),
  browser: orNull(text('The browser, such as `Firefox`; null if it is not known.')),
  operatingSystem: orNull(text('Its operating system, such as `Windows`; null if it is not known.')),
  createdAt: dateTime('When the browser was subscribed.'),
});

/** Uncompressed, so that the first byte is 4. */
const P256_POINT = '^B[A-Za-z0-9_-]{86}$';

const subscriptionInput = inputObject(
  'WritePushSubscription',
  'What `PushSubscription.toJSON()` of the browser returns, and a language.',
  {
    endpoint: Type.String({
      maxLength: 2_000,
      pattern: '^[!-~]+$',
      description: 'The address at the push service, with https.',
    }),
    expirationTime: Type.Optional(
      orNull(Type.Number({ description: 'Is not used: the push service says when the subscription ends.' })),
    ),
    keys: inputObject('WritePushKeys', 'With them messages are encrypted for the browser alone (RFC 8291).', {
      p256dh: Type.String({
        pattern: P256_POINT,
        description: 'The public key of the browser: a point of P-256, in base64url.',
      }),
      auth: Type.String({
        pattern: '^[A-Za-z0-9_-]{22}$',
        description: 'The secret of the subscription: 16 bytes in base64url.',
      }),
    }),
    language: Type.Optional(
      Type.Enum(MESSAGE_LANGUAGES, {
        description: 'The language of the notifications if you have written no settings; `en` without it.',
      }),
    ),
  },
);

const subscribe = creatingEndpoint(path, {
  id: 'createPushSubscription',
  summary: 'Subscribe a browser',
  description:
    'You are notified in it of the alerts that are raised from now on, as your notification settings say: at first ' +
    'of warnings and critical alerts. Known browsers get their new keys. A browser notifies the person alone who subscribed ' +
    'it last, and at most ten browsers notify a person. The message is JSON with `title`, `body`, `tag` and `url`, the path of the page of alerts.',
  access: farmerMember,
  body: smallJsonBody('The subscription.', subscriptionInput),
  answers: { 201: created('The subscribed browser.', subscription) },
  problems: ['quota-exceeded'],
  async handle({ api, caller, request, body: { endpoint, keys, language = 'en' } }) {
    requireCallableAddress(api, '/endpoint', endpoint);
    requirePoint(keys.p256dh);
    const added = { endpoint, keys, language, ...describeUserAgent(request.get('user-agent') ?? '') };
    const row = await addPushSubscription(api.database, personOf(caller), added, caller.authority);
    const location = path.replace('{orgId}', caller.organization.id);
    return reply(201, row, { Location: `${location}/${row.id}` });
  },
});

const list = wholeListEndpoint(path, {
  id: 'listPushSubscriptions',
  summary: 'List your subscribed browsers',
  description: 'Newest first; at most ten.',
  access: farmerMember,
  page: page(subscription, 'push subscriptions'),
  list: ({ api, caller }) => listPushSubscriptions(api.database, personOf(caller)),
});

const unsubscribe = deleteEndpoint(`${path}/{subscriptionId}`, {
  id: 'deletePushSubscription',
  summary: 'End notifications in a browser',
  description: 'Those of this organization. Signing out of the portal in the browser ends those of all.',
  access: farmerMember,
  problems: ['not-found'],
  async handle({ api, caller, path: { subscriptionId } }) {
    const ended = await deletePushSubscription(api.database, personOf(caller), subscriptionId);
    found(ended, 'You have no such browser. It may have ended its subscription.');
  },
});

/** The browsers in which a person is notified of alerts. */
export const PUSH_SUBSCRIPTION_ENDPOINTS = [subscribe, list, unsubscribe];

/** @throws ProblemError 400 */
function requirePoint(p256dh: string): void {
  try {
    ECDH.convertKey(p256dh, 'prime256v1', 'base64url');
  } catch {
    throw bodyProblem([{ pointer: '/keys/p256dh', detail: 'The key is no point of P-256.' }]);
  }
}
