import { describe, expect, test } from 'vitest';
import { AddressRefusedError, requireCallable } from '../../../shared/outbound/outbound-url.ts';
import { isLoopbackAddress, isPublicAddress } from '../../../shared/outbound/public-address.ts';
import { HOSTILE_ADDRESSES } from '../../support/hostile-addresses.ts';

const NOT_LOCAL = { allowLoopback: false };

test('the corpus is as large as it should be', () =>
  expect(Object.values(HOSTILE_ADDRESSES).flat().length).toBeGreaterThanOrEqual(60));

describe.each(Object.entries(HOSTILE_ADDRESSES))('%s', (_kind, addresses) =>
  test.each(addresses)('%s is refused before anything is sent', (address) =>
    expect(() => requireCallable(address, NOT_LOCAL)).toThrow(AddressRefusedError),
  ),
);

test.each([
  'https://example.com/',
  'https://token.actions.githubusercontent.com',
  'https://gitlab.example.com:8443/group',
  'https://8.8.8.8/',
  'https://[2606:4700:4700::1111]/',
  'https://172.15.255.255/',
  'https://172.32.0.1/',
  'https://localhost.example.com/',
])('%s is allowed', (address) =>
  expect(requireCallable(address, NOT_LOCAL).href).toBe(new URL(address).href),
);

describe('on the local stack', () => {
  const LOCAL = { allowLoopback: true };

  test.each(['http://127.0.0.1:8080/', 'http://localhost:3000/', 'https://127.0.0.1/', 'http://[::1]:80/'])(
    '%s is allowed too',
    (address) => expect(requireCallable(address, LOCAL).href).toBe(new URL(address).href),
  );

  test.each([
    'http://example.com/',
    'http://10.0.0.1/',
    'https://10.0.0.1/',
    'http://0.0.0.0/',
    'http://169.254.169.254/',
    'http://[::ffff:127.0.0.1]/',
    'http://api.localhost/',
  ])('%s is refused all the same', (address) =>
    expect(() => requireCallable(address, LOCAL)).toThrow(AddressRefusedError),
  );
});

test.each(['https://10.0.0.1/', 'https://check.internal/', 'https://[fd00::1]:8443/'])(
  'an address that the operator chose may be private: %s, but not by http',
  (address) => {
    const policy = { ...NOT_LOCAL, allowPrivate: true };
    expect(requireCallable(address, policy).href).toBe(address);
    const plain = address.replace('https', 'http');
    expect(() => requireCallable(plain, policy)).toThrow(AddressRefusedError);
  },
);

test.each(['example.com', '', '1.2.3', 'fe80::1%eth0', '::1%lo', ' 8.8.8.8', '08.8.8.8'])(
  'what is not an address on the internet is not public, and not loopback: %j',
  (address) => {
    expect(isPublicAddress(address)).toBe(false);
    expect(isLoopbackAddress(address === '::1%lo' ? '' : address)).toBe(false);
  },
);
