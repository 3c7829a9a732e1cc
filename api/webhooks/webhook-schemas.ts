import { Type, type TSchema } from 'typebox';
import type { ChangeType } from '../../shared/db/changes/change-types.ts';
import {
  dateTime,
  guid,
  inputObject,
  inputOverlap,
  integer,
  listOf,
  namedObject,
  oneOf,
  orNull,
  shownOnce,
  text,
} from '../http/schema.ts';

const MAX_URL = 2_048;
const MAX_DESCRIPTION = 200;

export const rotateInput = inputObject('RotateWebhook', 'The overlap of both sets of keys.', {
  overlapSeconds: inputOverlap(
    'The time for which the old keys sign too, in seconds. Default: 86400, a day.',
  ),
});

/** The inputs of one kind of webhooks: their names start with `name`, and these types can be chosen. */
export function webhookInputs(name: string, types: readonly ChangeType[]) {
  const url = Type.String({
    minLength: 1,
    maxLength: MAX_URL,
    description: 'The address that is called: `https`, on the public internet.',
  });
  const settings = {
    types: Type.Optional(
      orNull(
        Type.Array(oneOf(types, 'A type of change.'), {
          minItems: 1,
          maxItems: types.length,
          uniqueItems: true,
          description: 'The types of changes to deliver; null: all, also those that are added later.',
        }),
      ),
    ),
    description: Type.Optional(
      orNull(Type.String({ maxLength: MAX_DESCRIPTION, pattern: '\\S', description: 'A note for people.' })),
    ),
  };
  const status = oneOf(
    ['enabled', 'paused'],
    'While it is `paused`, changes wait for 30 days; they are delivered when it is `enabled` again.',
  );
  return {
    webhookInput: inputObject(`Register${name}`, 'A webhook to register.', { url, ...settings }),
    webhookChange: inputObject(`Change${name}`, 'The members to change.', {
      url: Type.Optional(url),
      ...settings,
      status: Type.Optional(status),
    }),
  };
}

const state = {
  description: orNull(text('A note for people; null: none.')),
  status: oneOf(['enabled', 'paused', 'disabled'], 'Whether it is called. Only the service sets `disabled`.'),
  disabledReason: orNull(
    oneOf(
      ['gone', 'failing', 'key-missing'],
      'Why the service disabled it: its receiver answered 410, every call failed for five days, or the service has lost ' +
        'the key that its keys are encrypted with; null: it did not.',
    ),
  ),
  disabledAt: orNull(dateTime('When the service disabled it; null: it did not.')),
  firstFailedAt: orNull(
    dateTime('The first of the calls that have all failed since; null: the last one succeeded.'),
  ),
  publicKey: text('`whpk_` and the key in base64 that verifies signatures of the version `v1a` (Ed25519).'),
  createdAt: dateTime('When it was registered.'),
  updatedAt: dateTime('When it was last changed.'),
};

/** The answers of one kind of webhooks, with the members that name the owner. */
export function webhookAnswers<const Owner extends Record<string, TSchema>>(
  name: string,
  owner: Owner,
  types: readonly ChangeType[],
) {
  const members = {
    id: guid('The ID of the webhook.'),
    ...owner,
    url: text('The address that is called.'),
    types: orNull(listOf(oneOf(types, 'A type of change.'), 'The types of changes; null: all.')),
    ...state,
  };
  return {
    webhook: namedObject(name, 'An address that the service calls for each change.', members),
    webhookWithSecret: namedObject(`${name}WithSecret`, 'A webhook with its secret.', {
      ...members,
      secret: shownOnce(
        Type.String({ pattern: '^whsec_[A-Za-z0-9+/]{43}=$' }),
        'Verifies signatures of the version `v1` (HMAC-SHA256).',
      ),
    }),
  };
}

export const attempt = namedObject('WebhookAttempt', 'One call of a webhook.', {
  id: guid('The ID of the call.'),
  eventId: guid('The ID of the change, as in `webhook-id`.'),
  type: text('The type of the change; `webhook.test` for a test.'),
  number: integer('The number of the attempt, from 1.', 1),
  status: orNull(integer('The status of the answer; null: there was none.', 100)),
  error: orNull(text('Why there was no answer; null: there was one.')),
  durationMs: integer('How long it took, in milliseconds.'),
  createdAt: dateTime('When it ended.'),
});

export const testAnswer = namedObject('WebhookTest', 'The test event.', {
  eventId: guid('The ID of the event, as in `webhook-id` and in the list of attempts.'),
});
