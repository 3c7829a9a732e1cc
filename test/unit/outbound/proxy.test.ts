import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { OutboundFetch } from '../../../shared/outbound/outbound-fetch.ts';
import { openTunnel } from '../../../shared/outbound/proxy-tunnel.ts';
import { startDnsServer } from '../../support/dns-server.ts';
import { startConnectProxy } from '../../support/connect-proxy.ts';

const CALL = { maxBytes: 1_000, timeoutMs: 5_000 };

test('the proxy is asked for the address that was checked, not for the name', async () => {
  const names = await startDnsServer(() => ['93.184.216.34']);
  onTestFinished(() => names.stop());
  const proxy = await startConnectProxy({ status: 403 });
  const proxyUrl = `http://someone:pass%20word@${proxy.address}`;
  const outbound = new OutboundFetch({ allowLoopback: false, dnsServers: [names.address], proxyUrl });
  await expect(outbound.fetch('https://hooks.example.com:8443/x', CALL)).rejects.toThrow(
    'no answer: the proxy answered 403',
  );
  const authorization = `Basic ${Buffer.from('someone:pass word').toString('base64')}`;
  expect(proxy.asked).toEqual([{ target: '93.184.216.34:8443', authorization }]);
});

test('a call goes through the tunnel, and closes it when it ends', async () => {
  const names = await startDnsServer(() => ['93.184.216.34']);
  onTestFinished(() => names.stop());
  const early = new AbortController();
  const received: Buffer[] = [];
  const tunnels: Socket[] = [];
  const server = createServer().on('connect', (_request: IncomingMessage, socket: Socket) => {
    tunnels.push(socket);
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    socket
      .on('error', () => undefined)
      .on('data', (bytes: Buffer) => {
        received.push(bytes);
        early.abort();
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const each of tunnels) each.destroy();
    server.close();
  });
  const proxyUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const outbound = new OutboundFetch({ allowLoopback: false, dnsServers: [names.address], proxyUrl });
  const call = outbound.fetch('https://hooks.example.com/x', { ...CALL, signal: early.signal });
  await expect(call).rejects.toThrow('the call was ended early');
  await expect.poll(() => tunnels[0]?.readableEnded).toBe(true);
  const [hello = Buffer.alloc(0)] = received;
  // The first message of TLS, which names the server.
  expect(hello[0]).toBe(0x16);
  expect(hello.toString('latin1')).toContain('hooks.example.com');
});

test('an address of this machine is called without the proxy, and a hostile one not at all', async () => {
  const server = createServer((_request, response) => response.end('direct')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  const proxy = await startConnectProxy({ status: 403 });
  const outbound = new OutboundFetch({ allowLoopback: true, proxyUrl: `http://${proxy.address}` });
  const { body } = await outbound.fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, CALL);
  expect(body.toString()).toBe('direct');
  await expect(outbound.fetch('https://169.254.169.254/', CALL)).rejects.toThrow(
    'not on the public internet',
  );
  expect(proxy.asked).toEqual([]);
});

test('a tunnel carries bytes in both directions, to an IPv6 address in brackets', async () => {
  const server = createServer((request, response) => response.end(`you asked for ${request.url ?? ''}`));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const proxy = await startConnectProxy({ port: (server.address() as AddressInfo).port });
  const target = { address: '2001:4860::1', port: 443 };
  const socket = await openTunnel(`http://${proxy.address}`, target, AbortSignal.timeout(5_000));
  socket.write('GET /inside HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  const chunks: Buffer[] = [];
  for await (const chunk of socket as AsyncIterable<Buffer>) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).toContain('you asked for /inside');
  expect(proxy.asked[0]?.target).toBe('[2001:4860::1]:443');
});
