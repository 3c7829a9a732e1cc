import type { Answer, BodyForm } from '../http/answer.ts';
import { DEPRECATION_HEADERS } from '../http/deprecation.ts';
import type { Endpoint, TaggedEndpoint } from '../http/endpoint.ts';
import type { ParameterSchemas } from '../http/request/parameters.ts';
import { keywordsOf, type JsonSchema } from '../http/schema.ts';
import { answerHeaders, type ProblemAnswers } from './answer-parts.ts';
import type { SchemaComponents } from './components.ts';
import examples from './examples.json' with { type: 'json' };

const EXAMPLE_ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const EXAMPLES: Readonly<Record<string, unknown>> = examples;

/** Name of the recorded example of an endpoint's body: of its request, or of its answer with a status. */
export function exampleName(id: string, of: number | 'request', mediaType: string): string {
  return `${id} ${of} ${mediaType}`;
}

/** A recorded body; undefined if there is none. */
export function exampleOf(id: string, of: number | 'request', mediaType: string): unknown {
  return EXAMPLES[exampleName(id, of, mediaType)];
}

/** The parts that the operations of a document share. */
export interface DocumentParts {
  readonly schemas: SchemaComponents;
  readonly problems: ProblemAnswers;
}

/** An endpoint as an operation of the document. */
export function operationPart(endpoint: TaggedEndpoint, { schemas, problems }: DocumentParts): object {
  const { id, tag, summary, description, access, body, answers } = endpoint;
  const content = (forms: Readonly<Record<string, BodyForm>>, of: number | 'request') =>
    contentOf(forms, (mediaType) => exampleOf(id, of, mediaType), schemas);
  const ofDeprecation = endpoint.deprecated === undefined ? [] : DEPRECATION_HEADERS;
  const answerPart = (status: string, answer: Answer<unknown>) => ({
    description: answer.description,
    headers: answerHeaders([...(answer.headers ?? []), ...(access.headers ?? []), ...ofDeprecation]),
    ...(answer.forms !== undefined && { content: content(answer.forms, Number(status)) }),
  });
  return {
    operationId: id,
    ...(endpoint.deprecated !== undefined && { deprecated: true }),
    tags: [tag],
    summary,
    description: [description, access.needs].filter((each) => each !== undefined).join('\n\n'),
    security: access.scheme === null ? [] : [{ [access.scheme]: [] }],
    parameters: parametersOf(endpoint, schemas),
    ...(body !== undefined && {
      requestBody: {
        description: body.description,
        required: body.required,
        content: content(body.forms, 'request'),
      },
    }),
    responses: {
      ...problems.of(endpoint),
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [status, answerPart(status, answer)]),
      ),
    },
  };
}

function contentOf(
  forms: Readonly<Record<string, BodyForm>>,
  exampleFor: (mediaType: string) => unknown,
  schemas: SchemaComponents,
): object {
  return Object.fromEntries(
    Object.entries(forms).map(([mediaType, { schema, encoding, partSchema }]) => {
      const example = exampleFor(mediaType);
      const isShown =
        example !== undefined && (typeof example !== 'string' || keywordsOf(schema)['type'] === 'string');
      return [
        mediaType,
        {
          schema: schemas.of(keywordsOf(schema)),
          ...(encoding !== undefined && { encoding }),
          ...(partSchema !== undefined && { 'x-part-schema': schemas.of(keywordsOf(partSchema)) }),
          ...(isShown && { example }),
        },
      ];
    }),
  );
}

/** A parameter in the document. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: true;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

/** The parameters of an endpoint: of its path, its query and its headers. */
export function parametersOf(endpoint: Endpoint, schemas: SchemaComponents): readonly Parameter[] {
  return [
    ...parametersIn('path', endpoint.parameters, schemas),
    ...parametersIn('query', endpoint.query, schemas),
    ...parametersIn('header', endpoint.headers ?? {}, schemas),
  ];
}

function parametersIn(
  location: Parameter['in'],
  parameters: ParameterSchemas,
  schemas: SchemaComponents,
): readonly Parameter[] {
  return Object.entries(parameters).map(([name, parameter]) => {
    const { description, example, ...schema } = schemas.of(keywordsOf(parameter));
    return {
      name,
      in: location,
      ...(location === 'path' && { required: true, example: example ?? EXAMPLE_ID }),
      description: typeof description === 'string' ? description : '',
      schema,
    };
  });
}
