import { createApiClient, type ApiClient } from '../client/api-client.ts';
import type { components } from '../client/openapi-types.ts';
import { isGuid } from '../package/schema/schema-parts.ts';
import { retryAfterSeconds } from '../webhooks/webhook-call.ts';
import { CannotRunError, ServerError, unanswered } from './exit-codes.ts';
import { idOfNamed } from './named.ts';
import { headerSecret, readSettings, requiredSetting, type Cli, type Settings } from './settings.ts';
import { isSecure } from './sign-in/fetch-json.ts';
import { withSignIn, type SignedInSettings } from './sign-in/stored-sign-ins.ts';

/** An import as the server returns it. */
export type ServerImport = components['schemas']['Import'];

/** Flags that select the server, the token and the organization. */
export interface ServerFlags {
  readonly server?: string;
  readonly token?: string;
  readonly org?: string;
}

/** A client of the server for one organization. */
export interface VendorSession {
  readonly server: string;
  readonly client: ApiClient;
  readonly orgId: string;
}

/** The result of a call of the typed client. */
interface Called<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** A timer of more than 24 days would end at once. */
const LONGEST_RETRY_AFTER_SECONDS = 3_600;
/** A person has fewer organizations. */
const PAGE_ITEMS = 200;

/** The flags that select the server, the token and the organization. */
export const SERVER_FLAGS = {
  '--server <url>': 'address of the server',
  '--token <token>': 'bearer token; MODULECTL_TOKEN is safer',
  '--org <organization>': 'ID or name of your organization',
};

/**
 * A client of the configured server.
 * @throws CannotRunError if server or token is not set, or the token would be sent unencrypted.
 */
export async function openServer(cli: Cli, flags: ServerFlags): Promise<ApiClient> {
  return openClient(await settingsOf(cli, flags));
}

/** A client of the configured server and organization. @throws CannotRunError */
export async function openVendor(cli: Cli, flags: ServerFlags): Promise<VendorSession> {
  const settings = await settingsOf(cli, flags);
  const client = openClient(settings);
  const server = required(settings, 'server');
  const named = requiredSetting(settings, 'organization');
  return { server, client, orgId: await findOrganization(server, client, named) };
}

/** The ID of an organization in which the person has a role, by its ID or its name. @throws CannotRunError */
export async function findOrganization(server: string, client: ApiClient, text: string): Promise<string> {
  if (isGuid(text)) return text;
  const call = client.GET('/api/v8.0/ownOrganizations', { params: { query: { limit: PAGE_ITEMS } } });
  const { items } = await answered(call);
  const named = items.map(({ id, name }) => ({ id, names: [name] }));
  return idOfNamed(text, { word: 'organization', list: `open ${server}/portal` }, named);
}

/** A client with these settings. @throws CannotRunError */
export function openClient(settings: SignedInSettings): ApiClient {
  const server = required(settings, 'server');
  const token = required(settings, 'token');
  if (!isSecure(new URL(server)))
    throw new CannotRunError('The token is not sent over http, where others can read it. Use https.');
  const client = createApiClient(server);
  client.use({
    async onRequest({ request }) {
      const current = (await settings.currentToken?.()) ?? token;
      request.headers.set('Authorization', `Bearer ${headerSecret('token', current)}`);
    },
  });
  return client;
}

async function settingsOf(cli: Cli, { server, token, org }: ServerFlags): Promise<SignedInSettings> {
  return withSignIn(await readSettings(cli, { server, token, organization: org }), cli);
}

/** A setting that a sign-in has too. */
function required(settings: Settings, name: 'server' | 'token'): string {
  const hint = ` To sign in, run: modulectl login --server ${settings.server ?? '<url>'}`;
  return requiredSetting(settings, name, hint);
}

/**
 * The result of a call that succeeded.
 * @throws ServerError with the text of the server's problem, or if it does not answer.
 */
export async function succeeded<Data>(call: Promise<Called<Data>>): Promise<Called<Data>> {
  const result = await call.catch((error: unknown) => {
    throw failureOf(error);
  });
  if (!result.response.ok) throw refusalOf(result.response, result.error);
  return result;
}

/** The body of a call. @throws ServerError as `succeeded` does, and CannotRunError if there is no body. */
export async function answered<Data>(call: Promise<Called<Data>>): Promise<Data> {
  const { data, response } = await succeeded(call);
  if (data === undefined) throw new CannotRunError(`${response.url} answered without a body.`);
  return data;
}

function failureOf(error: unknown): CannotRunError {
  // There is no token that can be sent.
  if (error instanceof CannotRunError) return error;
  if (error instanceof SyntaxError)
    return new CannotRunError('The server did not answer with JSON. Is the address right?');
  return unanswered('The server', error);
}

function refusalOf({ status, url, headers }: Response, body: unknown): ServerError {
  const asked = Math.ceil(retryAfterSeconds(headers.get('retry-after')));
  const pause = Math.min(asked, LONGEST_RETRY_AFTER_SECONDS);
  if (!isProblem(body))
    return new ServerError(status, `${new URL(url).origin} answered with status ${status}.`, pause);
  const issues = (body.errors ?? []).map(({ pointer, detail }) => `\n  ${pointer ?? ''} ${detail}`);
  return new ServerError(status, `${body.title}. ${body.detail}${issues.join('')}`, pause);
}

function isProblem(value: unknown): value is components['schemas']['Problem'] {
  return typeof value === 'object' && value !== null && 'type' in value && 'title' in value;
}
