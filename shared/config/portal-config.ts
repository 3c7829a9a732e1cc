import type { SettingsReader } from './settings-reader.ts';

/** How the portal signs people in. */
export interface PortalConfig {
  /** The client ID that the issuer has for the portal. */
  readonly clientId: string;
  /** Null: a public client, protected by PKCE alone. */
  readonly clientSecret: string | null;
  readonly scope: string;
  /** Parameters that an issuer requires in addition to the standard ones, such as `audience`. */
  readonly requestParameters: ReadonlyMap<string, string>;
  readonly sessions: SessionLimits;
}

/** How long a person stays signed in. */
export interface SessionLimits {
  /** Without a request. */
  readonly idleMinutes: number;
  /** In any case. */
  readonly maxHours: number;
}

/** Parameters that the portal sets itself; a setting cannot replace them. */
const RESERVED = new Set([
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'nonce',
  'redirect_uri',
  'response_type',
  'scope',
  'state',
]);

/** Reads how the portal signs people in; null: there is no portal. */
export function readPortal(read: SettingsReader): PortalConfig | null {
  const clientId = read.optional('PORTAL_CLIENT_ID');
  const clientSecret = read.optional('PORTAL_CLIENT_SECRET');
  const scope = read.text('PORTAL_SCOPE', 'openid profile');
  const requestParameters = new Map(new URLSearchParams(read.text('PORTAL_REQUEST_PARAMETERS', '')));
  for (const name of requestParameters.keys())
    if (RESERVED.has(name)) read.addIssue('PORTAL_REQUEST_PARAMETERS', `must not set ${name}`);
  const sessions = {
    idleMinutes: read.integer('SESSION_IDLE_MINUTES', 60, { max: 43_200 }),
    maxHours: read.integer('SESSION_MAX_HOURS', 12, { max: 720 }),
  };
  if (clientId !== null) return { clientId, clientSecret, scope, requestParameters, sessions };
  if (clientSecret !== null) read.addIssue('PORTAL_CLIENT_SECRET', 'is set, but PORTAL_CLIENT_ID is not');
  return null;
}
