import { ENDPOINTS } from '../../api/endpoints.ts';
import { openApiDocument } from '../../api/openapi/openapi-document.ts';
import { issuesOf } from './documented-answer.ts';

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly schema: object }[];
  readonly requestBody: { readonly content: { readonly 'application/json': { readonly schema: object } } };
}

const { webhooks } = openApiDocument(ENDPOINTS);

/** The types of the events in the document. */
export const DOCUMENTED_EVENTS: readonly string[] = Object.keys(webhooks);

/** The undocumented parts of a webhook's call; empty if it is as documented. */
export function undocumentedCall(
  body: string,
  headers: Readonly<Record<string, unknown>> | null = null,
): readonly string[] {
  const event = JSON.parse(body) as { readonly type: string; readonly data: { readonly type: string } };
  const documented = webhooks[event.type] as { readonly post: Operation } | undefined;
  if (documented === undefined) return [`the event ${event.type} is not documented`];
  const { parameters, requestBody } = documented.post;
  const issues = [
    issuesOf(requestBody.content['application/json'].schema, event),
    ...(event.data.type === event.type ? [] : [`data has the type ${event.data.type}`]),
    ...(headers === null ? [] : parameters.map(({ name, schema }) => issuesOf(schema, headers[name]))),
  ];
  return issues.flatMap((issue) => (issue === null ? [] : [`${event.type}: ${issue}`]));
}
