import { NEEDS, OPERATIONS, TAGS } from './all-operations.ts';
import { ACCESS_SCHEMAS } from './access-schemas.ts';
import examples from './examples.json' with { type: 'json' };
import { answerHeaders } from './answer-headers.ts';
import { IMPORT_SCHEMAS } from './import-schemas.ts';
import { MODULE_SCHEMAS } from './module-schemas.ts';
import type { Access, Answer, BodyForm, Operation, Schema } from './operation.ts';
import { pathParameters } from './parameters.ts';
import { ProblemAnswers } from './problem-answers.ts';
import { STRUCTURE_DOCUMENT_SCHEMAS } from './structure-schemas.ts';

const DESCRIPTION = `Vendors upload module packages; each is checked against every rule and stored whole or not at all.
With an API key the module's own back end then reads farm data and raises alerts.

IDs are GUIDs, read in any letter case and written in lower case. Timestamps are ISO 8601 with an offset.
Lists are newest first unless said, a page at a time. Errors are problem documents (RFC 9457); \`type\` leads
to a page that explains the code. Any other method than those told is answered 405 with \`Allow\`; \`HEAD\` is
answered as \`GET\` is, without the body. An answer may gain members.`;

const EXAMPLES: Readonly<Record<string, unknown>> = examples;

/** Every schema that the document names. */
export const SCHEMAS: Readonly<Record<string, Schema>> = {
  ...IMPORT_SCHEMAS,
  ...MODULE_SCHEMAS,
  ...ACCESS_SCHEMAS,
  ...STRUCTURE_DOCUMENT_SCHEMAS,
};

/** A recorded body; undefined where there is none. */
export function exampleOf(id: string, of: number | 'request', mediaType: string): unknown {
  return EXAMPLES[exampleName(id, of, mediaType)];
}

/** Name of the recorded example of a call's body: of its request, or of its answer with a status. */
export function exampleName(id: string, of: number | 'request', mediaType: string): string {
  return `${id} ${of} ${mediaType}`;
}

function contentOf(forms: Readonly<Record<string, BodyForm>>, id: string, of: number | 'request') {
  return Object.fromEntries(
    Object.entries(forms).map(([mediaType, { schema, encoding, partSchema }]) => {
      const example = exampleOf(id, of, mediaType);
      return [
        mediaType,
        {
          schema,
          ...(encoding !== undefined && { encoding }),
          ...(partSchema !== undefined && { 'x-part-schema': partSchema }),
          ...(example !== undefined &&
            (typeof example !== 'string' || schema['type'] === 'string') && { example }),
        },
      ];
    }),
  );
}

function answerPart({ description, forms, headers = [] }: Answer, id: string, status: number): object {
  return {
    description,
    headers: answerHeaders(headers),
    ...(forms !== undefined && { content: contentOf(forms, id, status) }),
  };
}

function securityOf(access: Access): readonly object[] {
  if (access === 'public' || access === 'probe') return [];
  return [access === 'apiKey' ? { apiKey: [] } : { bearer: [] }];
}

function operationPart(operation: Operation, problems: ProblemAnswers): object {
  const { id, tag, summary, description, access, path, parameters = [], body, answers } = operation;
  const told = Object.entries(answers).map(
    ([status, answer]) => [status, answerPart(answer, id, Number(status))] as const,
  );
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: [description, NEEDS[access]].filter((each) => each !== undefined).join('\n\n'),
    security: securityOf(access),
    parameters: [...pathParameters(path), ...parameters],
    ...(body !== undefined && {
      requestBody: {
        description: body.description,
        required: body.required,
        content: contentOf(body.forms, id, 'request'),
      },
    }),
    responses: { ...problems.of(operation), ...Object.fromEntries(told) },
  };
}

function pathsOf(problems: ProblemAnswers): Readonly<Record<string, object>> {
  const paths = new Map<string, object>();
  for (const operation of OPERATIONS) {
    const { path, method } = operation;
    paths.set(path, { ...paths.get(path), [method]: operationPart(operation, problems) });
  }
  return Object.fromEntries(paths);
}

/** The document's parts that readers of it walk through; the rest is as OpenAPI 3.1 has it. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<'title' | 'version' | 'description', string>> & { readonly license: object };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, object>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, object>>;
    readonly securitySchemes: object;
  };
}

/** The OpenAPI 3.1 document, built from the schemas that the routes validate with; `url` is the service's address. */
export function openApiDocument(url = '/'): OpenApiDocument {
  const problems = new ProblemAnswers();
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
    paths: pathsOf(problems),
    components: {
      schemas: SCHEMAS,
      responses: problems.written(),
      securitySchemes: {
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
          description: 'An API key of a module, made by `registerApiClient`.',
        },
      },
    },
  };
}
