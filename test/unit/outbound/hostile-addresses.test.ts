import { describe, expect, test } from 'vitest';
import { AddressRefusedError, requireCallable } from '../../../shared/outbound/outbound-url.ts';
import { isLoopbackAddress, isPublicAddress } from '../../../shared/outbound/public-address.ts';

/** Addresses that a stranger could name to reach what only this machine can, each in a form that URLs allow. */
const HOSTILE: Readonly<Record<string, readonly string[]>> = {
  loopback: [
    'https://127.0.0.1/',
    'https://127.0.0.1:5432/',
    'https://127.1/',
    'https://127.255.255.254/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://017700000001/',
    'https://①②⑦.⓪.⓪.①/',
    'https://127。0。0。1/',
    'https://127.0.0.1./',
    'https://[::1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[0000::0001]/',
  ],
  'this network': ['https://0.0.0.0/', 'https://0/', 'https://0.1.2.3/', 'https://[::]/'],
  private: [
    'https://10.0.0.1/',
    'https://10.255.255.255/',
    'https://172.16.0.1/',
    'https://172.31.255.255/',
    'https://192.168.0.1/',
    'https://192.168.255.255/',
    'https://0xc0a80001/',
    'https://3232235521/',
  ],
  'link-local and metadata': [
    'https://169.254.169.254/latest/meta-data/',
    'https://169.254.0.1/',
    'https://2852039166/',
    'https://0xa9fea9fe/',
    'https://100.100.100.200/',
    'https://168.63.129.16/',
    'https://192.0.0.192/',
    'https://[fe80::1]/',
    'https://[febf::1]/',
    'https://[fd00:ec2::254]/',
    'https://[fd20:ce::254]/',
    'https://metadata.google.internal/',
  ],
  'carrier-grade NAT': ['https://100.64.0.1/', 'https://100.127.255.255/'],
  'unique-local and site-local': ['https://[fc00::1]/', 'https://[fdff::1]/', 'https://[fec0::1]/'],
  'IPv4 in IPv6': [
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[::ffff:169.254.169.254]/',
    'https://[::ffff:8.8.8.8]/',
    'https://[::127.0.0.1]/',
    'https://[::ffff:0:127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[64:ff9b::a9fe:a9fe]/',
    'https://[64:ff9b:1::a00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[2002:a9fe:a9fe::1]/',
    'https://[2001::53aa:64c:0:7f00:1]/',
    'https://[2001:0:7f00:1::]/',
  ],
  multicast: ['https://224.0.0.1/', 'https://239.255.255.250/', 'https://[ff02::1]/', 'https://[ff0e::1]/'],
  'reserved and documentation': [
    'https://240.0.0.1/',
    'https://255.255.255.255/',
    'https://192.0.2.1/',
    'https://198.18.0.1/',
    'https://198.51.100.7/',
    'https://203.0.113.9/',
    'https://192.88.99.1/',
    'https://[2001:db8::1]/',
    'https://[3fff::1]/',
    'https://[3ffe::1]/',
    'https://[2001:10::1]/',
    'https://[100::1]/',
    'https://[4000::1]/',
    'https://[5f00::1]/',
  ],
  'names of the local network': [
    'https://localhost/',
    'https://LOCALHOST/',
    'https://localhost./',
    'https://api.localhost/',
    'https://postgres/',
    'https://valkey:6379/',
    'https://printer.local/',
    'https://db.internal/',
    'https://router.lan/',
    'https://nas.home.arpa/',
    'https://1.0.0.127.in-addr.arpa/',
    'https://hidden.onion/',
    'https://server.corp./',
  ],
  'another scheme': [
    'http://example.com/',
    'http://127.0.0.1/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'data:text/plain,hello',
    'javascript:alert(1)',
    'ws://example.com/',
    'unix:/var/run/docker.sock',
  ],
  'a user name or a password': [
    'https://me@example.com/',
    'https://me:secret@example.com/',
    'https://example.com@127.0.0.1/',
    'https://:secret@example.com/',
  ],
  'not a URL': [
    '',
    'example.com',
    '//example.com/',
    'https://',
    'https://[::1',
    'https://exa mple.com/',
    `https://example.com/${'a'.repeat(2_048)}`,
  ],
};

const NOT_LOCAL = { allowLoopback: false };

test('the corpus is as large as it should be', () => {
  expect(Object.values(HOSTILE).flat().length).toBeGreaterThanOrEqual(60);
});

describe.each(Object.entries(HOSTILE))('%s', (_kind, addresses) => {
  test.each(addresses)('%s is refused before anything is sent', (address) => {
    expect(() => requireCallable(address, NOT_LOCAL)).toThrow(AddressRefusedError);
  });
});

test.each([
  'https://example.com/',
  'https://token.actions.githubusercontent.com',
  'https://gitlab.example.com:8443/group',
  'https://8.8.8.8/',
  'https://[2606:4700:4700::1111]/',
  'https://172.15.255.255/',
  'https://172.32.0.1/',
  'https://localhost.example.com/',
])('%s is allowed', (address) => {
  expect(requireCallable(address, NOT_LOCAL).href).toBe(new URL(address).href);
});

describe('on the local stack', () => {
  const LOCAL = { allowLoopback: true };

  test.each(['http://127.0.0.1:8080/', 'http://localhost:3000/', 'https://127.0.0.1/', 'http://[::1]:80/'])(
    '%s is allowed too',
    (address) => {
      expect(requireCallable(address, LOCAL).href).toBe(new URL(address).href);
    },
  );

  test.each([
    'http://example.com/',
    'http://10.0.0.1/',
    'https://10.0.0.1/',
    'http://0.0.0.0/',
    'http://169.254.169.254/',
    'http://[::ffff:127.0.0.1]/',
    'http://api.localhost/',
  ])('%s is refused all the same', (address) => {
    expect(() => requireCallable(address, LOCAL)).toThrow(AddressRefusedError);
  });
});

test.each(['example.com', '', '1.2.3', 'fe80::1%eth0', '::1%lo', ' 8.8.8.8', '08.8.8.8'])(
  'what is not an address on the internet is not public, and not loopback: %j',
  (address) => {
    expect(isPublicAddress(address)).toBe(false);
    expect(isLoopbackAddress(address === '::1%lo' ? '' : address)).toBe(false);
  },
);
