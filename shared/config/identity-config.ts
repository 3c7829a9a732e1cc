import type { SettingsReader } from './settings-reader.ts';

/** The issuer of accepted access tokens, and the claims that are read. */
export type AuthConfig = ReturnType<typeof readAuth>;

/** Reads the accepted issuer and audience. A claim is given by its name, or by a path with dots. */
export function readAuth(read: SettingsReader) {
  return {
    issuer: read.url('AUTH_ISSUER', ['http:', 'https:']),
    audience: read.text('AUTH_AUDIENCE', 'module-import-service'),
    /** Lists organizations with roles. */
    organizationsClaim: read.text('AUTH_ORGANIZATIONS_CLAIM', 'organizations'),
    /** Lists groups, which organizations map to roles. */
    groupsClaim: read.text('AUTH_GROUPS_CLAIM', 'groups'),
    /** Makes its subject an operator where it contains `operatorValue`. */
    operatorClaim: read.text('AUTH_OPERATOR_CLAIM', 'roles'),
    operatorValue: read.text('AUTH_OPERATOR_VALUE', 'operator'),
    /** Subjects that are operators whatever their claims. */
    operators: read.list('AUTH_OPERATORS'),
  };
}

/** Parameters that the portal and the command line set themselves; a setting cannot replace them. */
const RESERVED = [
  ...['client_id', 'client_secret', 'code_challenge', 'code_challenge_method', 'device_code', 'grant_type'],
  ...['nonce', 'redirect_uri', 'response_type', 'scope', 'state'],
];

/** Reads the parameters that an issuer requires at a sign-in in addition to the standard ones, such as `audience`. */
export function readRequestParameters(read: SettingsReader): ReadonlyMap<string, string> {
  const parameters = new Map(new URLSearchParams(read.text('AUTH_REQUEST_PARAMETERS', '')));
  for (const name of RESERVED)
    if (parameters.has(name)) read.addIssue('AUTH_REQUEST_PARAMETERS', `must not set ${name}`);
  return parameters;
}

/** How the portal signs people in. */
export type PortalConfig = NonNullable<ReturnType<typeof readPortal>>;

/** Reads how the portal signs people in; null: there is no portal. */
export function readPortal(read: SettingsReader, requestParameters: ReadonlyMap<string, string>) {
  const clientId = read.optional('PORTAL_CLIENT_ID');
  /** Null: a public client, protected by PKCE alone. */
  const clientSecret = read.optional('PORTAL_CLIENT_SECRET');
  const scope = read.text('PORTAL_SCOPE', 'openid profile email');
  /** The longest time that a person stays signed in: without a request, and in any case. */
  const sessions = { idleMinutes: 60, maxHours: read.integer('SESSION_MAX_HOURS', 12, { max: 720 }) };
  if (clientId !== null) return { clientId, clientSecret, scope, requestParameters, sessions };
  if (clientSecret !== null) read.addIssue('PORTAL_CLIENT_SECRET', 'is set, but PORTAL_CLIENT_ID is not');
  return null;
}

/** Reads how the command line signs people in, as a public client; null: it cannot. */
export function readCli(read: SettingsReader, requestParameters: ReadonlyMap<string, string>) {
  const clientId = read.optional('CLI_CLIENT_ID');
  const scope = read.text('CLI_SCOPE', 'openid offline_access');
  return clientId === null ? null : { clientId, scope, requestParameters };
}

/** The addresses chosen by vendors that may be called. */
export type OutboundConfig = ReturnType<typeof readOutbound>;

/** Reads which addresses may be called that vendors choose. */
export function readOutbound(read: SettingsReader) {
  /** Also this machine, by plain http too: for the local stack. */
  const allowLoopback = read.boolean('OUTBOUND_ALLOW_LOOPBACK', false);
  if (allowLoopback && read.optional('NODE_ENV') === 'production')
    read.addIssue(
      'OUTBOUND_ALLOW_LOOPBACK',
      'must be 0 in production: vendors could call the services of this machine',
    );
  /** The issuers that vendors may trust; empty: every issuer on the public internet. */
  const trustedIssuers = read.list('TRUSTED_PUBLISHING_ISSUERS');
  for (const issuer of trustedIssuers)
    if (!/^https?:/.test(issuer) || !URL.canParse(issuer))
      read.addIssue('TRUSTED_PUBLISHING_ISSUERS', `has ${JSON.stringify(issuer)}, which is not a URL`);
  /** The proxy that every such call goes through; null: none. */
  const proxyUrl = read.url('OUTBOUND_PROXY_URL', ['http:']);
  return { allowLoopback, proxyUrl, trustedIssuers };
}
