import { sampleChange } from '../../shared/webhooks/sample-changes.ts';
import { webhookBody } from '../../shared/webhooks/webhook-call.ts';
import { webhookEvents, type WebhookEvent } from '../changes/change.ts';
import { keywordsOf } from '../http/schema.ts';
import type { SchemaComponents } from './components.ts';

const EXAMPLE = { id: '3f2504e0-4f89-41d3-9a0c-000000000001', at: new Date('2027-11-20T09:30:00Z') };

/** The headers of a call (Standard Webhooks 1.0.0). */
const HEADERS = [
  {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: 'The ID of the event: the same for each attempt and each time that it is sent again.',
    schema: { type: 'string', format: 'uuid' },
  },
  {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description: 'When the attempt was made, in seconds since 1970. Refuse calls older than some minutes.',
    schema: { type: 'string', pattern: String.raw`^\d{10,}$` },
  },
  {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    description:
      'Signatures of ID, timestamp and body, separated by spaces: `v1` with the secret (HMAC-SHA256) and `v1a` ' +
      'with the public key (Ed25519). During a rotation, also with the old keys.',
    schema: { type: 'string', pattern: '^v1a?,[A-Za-z0-9+/]+=*(?: v1a?,[A-Za-z0-9+/]+=*)*$' },
  },
] as const;

const ANSWERS = {
  '2XX': { description: 'The event is delivered. Answer within ten seconds, and do the work afterwards.' },
  '410': { description: 'Disables the webhook.' },
  default: {
    description: 'The event is delivered again, for three days and not before the time in `Retry-After`.',
  },
};

/** The calls that webhooks receive, as OpenAPI describes them. */
export function webhooksPart(schemas: SchemaComponents): Readonly<Record<string, object>> {
  return Object.fromEntries(
    webhookEvents().map((event) => [event.type, { post: operationOf(event, schemas) }]),
  );
}

function operationOf({ type, summary, schema }: WebhookEvent, schemas: SchemaComponents): object {
  const sample = sampleChange(type, EXAMPLE);
  const example: unknown = sample === null ? undefined : JSON.parse(webhookBody(sample));
  return {
    operationId: `on${pascalCase(type)}`,
    tags: ['Webhooks'],
    summary,
    description:
      'Your back end answers this call. A change names the changed objects, without their contents: read them ' +
      'with your key.',
    security: [],
    parameters: HEADERS,
    requestBody: {
      description: 'The event.',
      required: true,
      content: {
        'application/json': {
          schema: schemas.of(keywordsOf(schema)),
          ...(example !== undefined && { example }),
        },
      },
    },
    responses: ANSWERS,
  };
}

/** `rule.created` as `RuleCreated`. */
function pascalCase(type: string): string {
  return type.replaceAll(/(?:^|\.)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
