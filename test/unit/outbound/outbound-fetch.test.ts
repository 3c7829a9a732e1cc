import dns, { type LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { NoAnswerError, OutboundFetch, type OutboundCall } from '../../../shared/outbound/outbound-fetch.ts';
import { AddressRefusedError } from '../../../shared/outbound/outbound-url.ts';
import { startDnsServer } from '../../support/dns-server.ts';

const CALL: OutboundCall = { maxBytes: 1_000, timeoutMs: 5_000 };
const local = new OutboundFetch({ allowLoopback: true });

/** A server on this machine, whose address a stranger chose. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function nameServer(answer: Parameters<typeof startDnsServer>[0]) {
  const server = await startDnsServer(answer);
  onTestFinished(() => server.stop());
  const outbound = new OutboundFetch({ allowLoopback: false, dnsServers: [server.address] });
  return { server, outbound };
}

test('an answer is returned whole, with its status and headers', async () => {
  const url = await serve((request, response) => {
    response.writeHead(201, { 'X-Was': request.method ?? '' }).end('made');
  });
  const { status, headers, body } = await local.fetch(url, { ...CALL, method: 'POST', body: 'x' });
  expect([status, headers['x-was'], body.toString()]).toEqual([201, 'POST', 'made']);
});

test('a name of a private network is looked up by the system, which knows the hosts file', async () => {
  let connections = 0;
  const reached = createTcpServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(reached, 'listening');
  const names: unknown[] = [];
  const lookup = vi.spyOn(dns, 'lookup').mockImplementation((name: string, ...rest: unknown[]) => {
    names.push(name);
    const answer = rest.at(-1) as (error: null, addresses: readonly LookupAddress[]) => void;
    answer(null, [{ address: '127.0.0.1', family: 4 }]);
  });
  onTestFinished(() => {
    lookup.mockRestore();
    reached.close();
  });
  const outbound = new OutboundFetch({ allowLoopback: true, allowPrivate: true });
  const { port } = reached.address() as AddressInfo;
  await expect(outbound.fetch(`https://check.internal:${port}/`, CALL)).rejects.toThrow(NoAnswerError);
  expect([names, connections]).toEqual([['check.internal'], 1]);
});

test('a redirect is not followed', async () => {
  let calls = 0;
  const url = await serve((_request, response) => {
    calls += 1;
    response.writeHead(302, { Location: 'http://169.254.169.254/' }).end();
  });
  expect((await local.fetch(url, CALL)).status).toBe(302);
  expect(calls).toBe(1);
});

test('an answer that changes the protocol is none', async () => {
  const url = await serve((_request, response) => {
    response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n');
  });
  await expect(local.fetch(url, { ...CALL, timeoutMs: 1_000 })).rejects.toThrow(NoAnswerError);
});

test('an answer of more bytes than the limit is not read to its end', async () => {
  const url = await serve((_request, response) => {
    const more = setInterval(() => response.write('a'.repeat(600)), 5);
    response.once('close', () => clearInterval(more));
  });
  await expect(local.fetch(url, CALL)).rejects.toThrow(
    new NoAnswerError('the answer has more than 1000 bytes', true),
  );
});

test.each([
  ['no header', () => undefined],
  ['a body that does not end', (response) => response.write('a')],
] satisfies [string, (response: Parameters<RequestListener>[1]) => unknown][])(
  'a server that sends %s is given up after the time limit',
  async (_what, answer) => {
    const url = await serve((_request, response) => {
      answer(response);
    });
    const call = local.fetch(url, { ...CALL, timeoutMs: 200 });
    await expect(call).rejects.toThrow(new NoAnswerError('no answer within 200 ms', true));
  },
);

test.each([
  ['refuses the connection', 'http://127.0.0.1:1', 'no answer: ECONNREFUSED', false],
  ['is not HTTP', null, 'no answer: HPE_INVALID_CONSTANT', true],
])(
  'a server that %s does not answer, and the call says whether it was sent',
  async (_what, address, message, isSent) => {
    const { createServer: createTcpServer } = await import('node:net');
    const server = createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.close();
    });
    const url = address ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(local.fetch(url, CALL)).rejects.toThrow(new NoAnswerError(message, isSent));
  },
);

test('headers of more than 16 KiB are refused', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'X-Long': 'a'.repeat(20_000) }).end();
  });
  await expect(local.fetch(url, CALL)).rejects.toThrow(NoAnswerError);
});

test.each([
  ['a private address', ['10.0.0.7']],
  ['this machine', ['127.0.0.1']],
  ['metadata of a cloud', ['169.254.169.254']],
  ['a private address among public ones', ['93.184.215.14', '192.168.1.1']],
  ['an IPv4-mapped address', ['::ffff:7f00:1']],
  ['a public and a unique-local address', ['93.184.215.14', 'fd00:ec2::254']],
])('a name that has %s is refused', async (_what, addresses) => {
  const { outbound } = await nameServer(() => addresses);
  const call = outbound.fetch('https://issuer.example.com/', CALL);
  await expect(call).rejects.toThrow(AddressRefusedError);
});

test('a name is resolved once: its second answer, a private address, is not asked for', async () => {
  // The first address is one to which nothing is routed.
  const { outbound, server } = await nameServer((_name, _type, count) => [
    count === 1 ? '93.184.215.14' : '127.0.0.1',
  ]);
  await expect(outbound.fetch('https://rebind.example.com:1/', { ...CALL, timeoutMs: 500 })).rejects.toThrow(
    NoAnswerError,
  );
  expect(server.queries.toSorted()).toEqual(['rebind.example.com 1', 'rebind.example.com 28']);
});

test('a name without an address, and one whose server is silent, do not answer', async () => {
  const { outbound } = await nameServer((name) => (name.startsWith('silent') ? null : []));
  await expect(outbound.fetch('https://none.example.com/', CALL)).rejects.toThrow(
    new NoAnswerError('the name has no address'),
  );
  const silent = outbound.fetch('https://silent.example.com/', { ...CALL, timeoutMs: 300 });
  await expect(silent).rejects.toThrow(NoAnswerError);
});

test('an address that is refused is not resolved', async () => {
  const { outbound, server } = await nameServer(() => ['93.184.215.14']);
  await expect(outbound.fetch('http://issuer.example.com/', CALL)).rejects.toThrow(AddressRefusedError);
  expect(server.queries).toEqual([]);
});
