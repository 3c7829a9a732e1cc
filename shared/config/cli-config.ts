import type { SettingsReader } from './settings-reader.ts';

/** How the command line signs people in. */
export interface CliConfig {
  /** The client ID that the issuer has for the command line: a public client. */
  readonly clientId: string;
  readonly scope: string;
  /** Parameters that an issuer requires in addition to the standard ones, such as `audience`. */
  readonly requestParameters: ReadonlyMap<string, string>;
}

/** Parameters that the command line sets itself; a setting cannot replace them. */
const RESERVED = new Set(['client_id', 'client_secret', 'device_code', 'grant_type', 'scope']);

/** Reads how the command line signs people in; null: it cannot. */
export function readCli(read: SettingsReader): CliConfig | null {
  const clientId = read.optional('CLI_CLIENT_ID');
  const scope = read.text('CLI_SCOPE', 'openid offline_access');
  const requestParameters = new Map(new URLSearchParams(read.text('CLI_REQUEST_PARAMETERS', '')));
  for (const name of requestParameters.keys())
    if (RESERVED.has(name)) read.addIssue('CLI_REQUEST_PARAMETERS', `must not set ${name}`);
  return clientId === null ? null : { clientId, scope, requestParameters };
}
