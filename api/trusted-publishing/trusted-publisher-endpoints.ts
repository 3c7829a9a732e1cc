import { Type } from 'typebox';
import { PUBLISHER_TOKEN_SECONDS } from '../../shared/db/access/publisher-tokens.ts';
import {
  listTrustedPublishers,
  putTrustedPublishers,
  type ClaimValue,
} from '../../shared/db/access/trusted-publishers.ts';
import { actorOf, moduleKey } from '../auth/access.ts';
import {
  anyone,
  RATE_HEADERS,
  vendorAdmin,
  vendorMember,
  type EndpointAccess,
} from '../auth/endpoint-access.ts';
import { json, ok, present } from '../http/answer.ts';
import { endpoint, tagged } from '../http/endpoint.ts';
import { bodyProblem, jsonBody, smallJsonBody } from '../http/request/json-body.ts';
import { found, ProblemError } from '../http/problem.ts';
import { inputGuid, inputObject, integer, listOf, namedObject, namedSchema, text } from '../http/schema.ts';
import { OutboundFetch } from '../../shared/outbound/outbound-fetch.ts';
import { findClaims } from './find-claims.ts';
import { issuesOfPublishers, REPOSITORY_FORM } from './publisher-claims.ts';

const path = '/api/v8.0/{orgId}/trustedPublishers/{moduleId}';
const NO_MODULE = 'The organization has no such module.';

const GITHUB_ISSUER = 'https://token.actions.githubusercontent.com';
const MAX_PUBLISHERS = 20;
const MAX_CLAIMS = 20;
const MAX_TEXT = 255;
const MAX_VALUE = 500;

const claimValue = namedSchema<ClaimValue>('ClaimValue', {
  type: ['string', 'integer', 'boolean'],
  maxLength: MAX_VALUE,
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'The value of a claim: a text, an integer or a boolean.',
});

const claims = Type.Unsafe<Readonly<Record<string, ClaimValue>>>({
  type: 'object',
  minProperties: 1,
  maxProperties: MAX_CLAIMS,
  propertyNames: { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_.:/-]{0,99}$' },
  additionalProperties: claimValue,
  description:
    'Claims that a token must have, by name, with equal values of the same JSON type. At least one identifies a ' +
    'repository: `repository_id`, `project_id`, `repository`, `project_path` or `sub`. Immutable IDs and the workflow ' +
    'are required where tokens have them: for GitHub `repository_id` and `repository_owner_id` (or its subject with ' +
    'IDs), and `workflow_ref` or `job_workflow_ref`; for GitLab `project_id`, `namespace_id` and `ci_config_ref_uri`.',
});

const members = {
  issuer: Type.String({
    minLength: 1,
    maxLength: MAX_TEXT,
    description: 'The address of the issuer, exactly as in `iss` of its tokens.',
  }),
  audience: Type.String({
    minLength: 1,
    maxLength: MAX_TEXT,
    description:
      'The audience: `aud` of the tokens must be this string. Choose one that only this service has.',
  }),
  claims,
};

const publisher = namedObject('TrustedPublisher', 'The claims of CI runs that may import.', members);
const publisherInput = inputObject(
  'TrustedPublisherInput',
  'The claims of CI runs that may import.',
  members,
);

const publisherList = namedObject('TrustedPublishers', 'The trusted publishers of a module.', {
  items: listOf(publisher, 'The publishers, in the order of the list that was sent.'),
});

const putPublishers = inputObject('PutTrustedPublishers', 'The trusted publishers of a module.', {
  items: Type.Array(publisherInput, { maxItems: MAX_PUBLISHERS, description: 'The whole list.' }),
});

const exchangeBody = inputObject('ExchangeToken', "A CI run's token, and the module to import.", {
  token: text('The token of the issuer, for the audience of the publisher.'),
  moduleId: inputGuid('The module to import.'),
});

const accessToken = namedObject('PublisherAccessToken', 'An access token of a trusted publisher.', {
  accessToken: Type.String({
    pattern: '^mmp_[A-Za-z0-9_-]{43}$',
    description: 'For `Authorization: Bearer`: imports the module, and reads these imports.',
  }),
  expiresIn: integer('Its lifetime in seconds: 900.'),
});

const put = endpoint('put', path, {
  id: 'writeTrustedPublishers',
  summary: 'Replace the trusted publishers of a module',
  description:
    'A CI run of a trusted publisher imports the module without a stored secret. A change ends the access tokens of ' +
    'all publishers of the module within a second; the same list changes nothing.',
  access: vendorAdmin,
  body: jsonBody('The whole list.', putPublishers),
  answers: { 200: json('The list.', publisherList) },
  async handle({ api, caller, path, body: { items } }) {
    const issues = issuesOfPublishers(items, api.config.outbound);
    if (issues.length > 0) throw bodyProblem(issues);
    const actor = actorOf(caller);
    found(await putTrustedPublishers(api.database, moduleKey(caller, path), items, actor), NO_MODULE);
    return ok(listAnswer(items));
  },
});

const read = endpoint('get', path, {
  id: 'readTrustedPublishers',
  summary: 'Read the trusted publishers of a module',
  access: vendorMember,
  answers: { 200: json('The list.', publisherList) },
  handle: async ({ api, caller, path }) =>
    ok(listAnswer(found(await listTrustedPublishers(api.database, moduleKey(caller, path)), NO_MODULE))),
});

const foundClaims = namedObject('FoundClaims', 'The claims of the runs of a repository.', {
  issuer: members.issuer,
  claims,
});

const repositoryName = Type.String({
  maxLength: MAX_TEXT,
  pattern: REPOSITORY_FORM.source,
  description: 'The repository with its owner, such as `acme/soil`, or with its groups.',
});
const shortText = (description: string) =>
  Type.String({ minLength: 1, maxLength: MAX_TEXT, pattern: '^[^@\\s]+$', description });

const find = endpoint('get', '/api/v8.0/{orgId}/publisherClaims', {
  id: 'readPublisherClaims',
  summary: 'Find the claims of the runs of a repository',
  description:
    'Asks the CI service for the immutable IDs of a public repository and its owner, and returns the claims to ' +
    'register. Nothing is stored.',
  access: vendorAdmin,
  query: {
    issuer: Type.String({
      maxLength: MAX_TEXT,
      description:
        'The issuer: that of GitHub by default, or `https://gitlab.com`, or an installation of one of them.',
    }),
    repository: repositoryName,
    workflow: shortText(
      'The file of the workflow, such as `import.yml`; for GitLab by default `.gitlab-ci.yml`.',
    ),
    branch: shortText('The branch; by default that of the repository.'),
    environment: Type.String({
      minLength: 1,
      maxLength: MAX_TEXT,
      description: 'The environment of the job, if it must have one.',
    }),
  },
  answers: { 200: json('The claims.', foundClaims) },
  async handle({ api, response, caller, query }) {
    const { issuer = GITHUB_ISSUER, repository, ...rest } = query;
    if (repository === undefined)
      throw new ProblemError('request-invalid', 'Name the repository, such as repository=acme/soil.');
    const searches = 'The searches for repositories of the organization';
    await api.claimsRate.spend(caller.organization.id, searches, response);
    const { outbound } = api.config;
    const runs = { issuer, repository, ...rest };
    return ok({ issuer, claims: await findClaims(new OutboundFetch(outbound), outbound, runs) });
  },
});

const publisherToken: EndpointAccess<undefined> = {
  ...anyone,
  needs: 'No authentication: the token in the body is the credential.',
  problems: [...anyone.problems, 'auth-token-invalid', 'rate-limited'],
  headers: RATE_HEADERS,
};

const exchange = endpoint('post', '/api/v8.0/trusted-publishing/token', {
  id: 'exchangeToken',
  summary: 'Exchange a CI token for an access token',
  description:
    'The token needs `exp`, `nbf`, `iat` and `jti`, may be an hour old, and can be exchanged once. Runs of events that ' +
    'strangers can cause are refused, such as `pull_request_target`, `workflow_run` and `issue_comment`. The access ' +
    "token can only import the module and read these imports. Every refusal is the same; the organization's audit " +
    'log has the reason.',
  access: publisherToken,
  body: smallJsonBody('The token, and the module to import.', exchangeBody),
  answers: { 200: json('The access token.', accessToken, ['Cache-Control']) },
  async handle({ api, request, response, body }) {
    const moduleId = body.moduleId.toLowerCase();
    const token = await api.tokenExchange.exchange(body.token, moduleId, { request, response });
    const issued = { accessToken: token, expiresIn: PUBLISHER_TOKEN_SECONDS };
    return ok(issued, { 'Cache-Control': 'no-store' });
  },
});

/** Trusted publishers of modules, and the exchange of their tokens. */
export const TRUSTED_PUBLISHING_ENDPOINTS = tagged('Trusted publishing', [put, read, find, exchange]);

function listAnswer(publishers: readonly Parameters<typeof present<typeof members>>[1][]) {
  return { items: publishers.map((each) => present(publisher, each)) };
}
