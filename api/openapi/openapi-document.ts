import type { TaggedEndpoint } from '../http/endpoint.ts';
import type { JsonSchema } from '../http/schema.ts';
import { SchemaComponents } from './components.ts';
import { operationPart } from './operation-part.ts';
import { ProblemAnswers } from './answer-parts.ts';
import { TAGS } from './tags.ts';
import { webhooksPart } from './webhooks-part.ts';

const DESCRIPTION = `Vendors upload module packages. Each package is validated against every rule and stored completely or not at all.
The module's back end then reads farm data and raises alerts with an API key.

IDs are GUIDs, accepted in any letter case and returned in lower case. Timestamps are ISO 8601 with an offset.
Lists are paginated, newest first unless noted otherwise. Errors are problem documents (RFC 9457); \`type\` is the
address of a page that explains the code. Methods that are not listed return 405 with \`Allow\`; \`HEAD\` works like
\`GET\`, without the body. New members may be added to answers. Outside of \`/api/v8.0\`, 404 is a page for clients that prefer HTML.`;

const SECURITY_SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token of the OpenID Connect issuer.',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description: 'An API key of a module, created by `registerApiClient`.',
  },
};

/** The parts of the document that other code uses; the rest is as in OpenAPI 3.1. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<'title' | 'version' | 'description', string>> & { readonly license: object };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, object>>;
  /** The calls that back ends receive, by the type of the event. */
  readonly webhooks: Readonly<Record<string, object>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, object>>;
    readonly securitySchemes: object;
  };
}

/** The OpenAPI 3.1 document of these endpoints; `url` is the address of the service. */
export function openApiDocument(endpoints: readonly TaggedEndpoint[], url = '/'): OpenApiDocument {
  const schemas = new SchemaComponents();
  const problems = new ProblemAnswers(schemas);
  const paths = new Map<string, object>();
  for (const each of endpoints) {
    const operation = { [each.method]: operationPart(each, { schemas, problems }) };
    paths.set(each.path, { ...paths.get(each.path), ...operation });
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Module import and machine access',
      version: '8.0',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(paths),
    webhooks: webhooksPart(schemas),
    components: {
      schemas: schemas.all(),
      responses: problems.all(),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}
