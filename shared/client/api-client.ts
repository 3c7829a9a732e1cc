import createClient, { type Client } from 'openapi-fetch';
import { withoutEndSlashes } from '../config/without-end-slashes.ts';
import type { paths } from './openapi-types.ts';

/** Calls of the service by path and method, typed by its OpenAPI document. */
export type ApiClient = Client<paths, Json>;

/** Answers that have other forms as well are typed as JSON, which the service sends unless it is asked for another. */
type Json = 'application/json' | 'application/problem+json';

/** How a client shows who it is: an access token, or an API key of a module. */
export type Credentials = { readonly token: string } | { readonly apiKey: string };

/** A client of the service at `url`; without credentials it makes the public calls alone. */
export function createApiClient(url: string, credentials?: Credentials): ApiClient {
  return createClient<paths, Json>({
    baseUrl: withoutEndSlashes(url),
    headers: headersOf(credentials),
    // It would carry the credentials to another address.
    redirect: 'error',
  });
}

function headersOf(credentials: Credentials | undefined): Readonly<Record<string, string>> {
  if (credentials === undefined) return {};
  if ('token' in credentials) return { Authorization: `Bearer ${credentials.token}` };
  return { 'X-Api-Key': credentials.apiKey };
}
