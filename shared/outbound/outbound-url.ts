import { isIP } from 'node:net';
import { isLoopbackAddress, isPublicAddress } from './public-address.ts';

/** The addresses that may be called. */
export interface OutboundPolicy {
  /** Also this machine, and there also plain http: for the local stack. */
  readonly allowLoopback: boolean;
  /** Also addresses of private networks, called directly: for one that the operator chose. */
  readonly allowPrivate?: boolean;
}

/** The address that a stranger chose is not called. The message says why, and contains nothing of the address. */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';
}

/** Names that are never on the public internet (RFC 6761, RFC 8375, RFC 9476, and the reserved `internal`). */
const LOCAL_NAME =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|home|corp|test|invalid|onion|alt|arpa)$/;

const MAX_URL_LENGTH = 2_048;

/** The host of a URL without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Whether an IP address may be called. */
export function mayCall(address: string, { allowLoopback }: OutboundPolicy): boolean {
  return isPublicAddress(address) || (allowLoopback && isLoopbackAddress(address));
}

/**
 * The URL, if it may be called as far as that can be decided without its name's addresses.
 * @throws AddressRefusedError
 */
export function requireCallable(text: string, policy: OutboundPolicy): URL {
  if (text.length > MAX_URL_LENGTH || !URL.canParse(text))
    throw new AddressRefusedError('the address is not a URL');
  const url = new URL(text);
  const host = hostOf(url);
  const isLoopback = policy.allowLoopback && (isLoopbackAddress(host) || host === 'localhost');
  if (url.protocol !== 'https:' && !(isLoopback && url.protocol === 'http:'))
    throw new AddressRefusedError('the address does not start with https://');
  if (url.username !== '' || url.password !== '')
    throw new AddressRefusedError('the address contains a user name or a password');
  if (isLoopback || policy.allowPrivate === true) return url;
  if (isIP(host) === 0 && !isPublicName(host))
    throw new AddressRefusedError('the name is not one of the public internet');
  if (isIP(host) !== 0 && !isPublicAddress(host))
    throw new AddressRefusedError('the address is not on the public internet');
  return url;
}

/** Whether a name may have an address on the public internet. */
function isPublicName(host: string): boolean {
  const name = host.replace(/\.$/, '');
  return name.includes('.') && !LOCAL_NAME.test(name) && !host.endsWith('..');
}
