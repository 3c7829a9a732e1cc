import { Type } from 'typebox';
import { json, ok } from '../http/answer.ts';
import { endpoint } from '../http/endpoint.ts';
import { ownOrigin } from '../http/request/own-origin.ts';
import { listOf, namedObject, text } from '../http/schema.ts';
import { anyone } from './endpoint-access.ts';

const commandLine = namedObject(
  'CommandLineSignIn',
  'How `modulectl login` signs people in; absent if it cannot.',
  {
    client_id: text('The client ID at the issuer.'),
    scope: text('The scope to request.'),
    request_parameters: Type.Unsafe<Readonly<Record<string, string>>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Further parameters of the device authorization request.',
    }),
  },
);

const metadata = namedObject('ResourceMetadata', 'Where access tokens come from (RFC 9728).', {
  resource: text('The address of this service.'),
  authorization_servers: listOf(
    text('The address of an issuer.'),
    'The OpenID Connect issuer whose tokens are accepted.',
  ),
  bearer_methods_supported: listOf(
    text('A method of RFC 6750.'),
    'The ways to send a token: the header `Authorization`.',
  ),
  resource_documentation: text('The documentation page.'),
  modulectl: Type.Optional(commandLine),
});

/** Where clients find the issuer. */
export const readResourceMetadata = endpoint('get', '/.well-known/oauth-protected-resource', {
  id: 'readResourceMetadata',
  summary: 'Find the issuer of access tokens',
  description: 'The OAuth 2.0 protected resource metadata (RFC 9728).',
  access: anyone,
  answers: { 200: json('The metadata.', metadata, ['Cache-Control', 'Access-Control-Allow-Origin']) },
  problems: ['request-invalid'],
  handle({ api: { config }, request }) {
    const { publicUrl } = config.server;
    const resource = publicUrl ?? ownOrigin(request, null);
    const { auth, cli } = config;
    const body = {
      resource,
      authorization_servers: auth.issuer === null ? [] : [auth.issuer],
      bearer_methods_supported: ['header'],
      resource_documentation: `${resource}/docs`,
      ...(cli !== null && {
        modulectl: {
          client_id: cli.clientId,
          scope: cli.scope,
          request_parameters: Object.fromEntries(cli.requestParameters),
        },
      }),
    };
    return ok(body, { 'Cache-Control': 'no-cache', 'Access-Control-Allow-Origin': '*' });
  },
});
