import { once } from 'node:events';
import net from 'node:net';
import express from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { shareArrivals } from '../../../../api/http/limits/admission.ts';
import { FairTurns } from '../../../../shared/limits/fair-turns.ts';
import { portOf } from '../../../../shared/local/free-port.ts';

const BURST = 200;

/** Serves over HTTP; returns the credentials of the requests in the order in which they begin. */
async function serve() {
  const started: string[] = [];
  const app = express();
  app.use(shareArrivals(new FairTurns()), (request, response) => {
    started.push(request.get('authorization') ?? 'none');
    response.end();
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const connect = async (header: string) => {
    const socket = net.connect(portOf(server), '127.0.0.1').resume();
    await once(socket, 'connect');
    return (count: number) => socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${header}\r\n`.repeat(count));
  };
  const count = async (least: number) => expect.poll(() => started.length).toBe(least);
  return { started, connect, count };
}

test('a burst of requests with one credential delays one with another by few of them', async () => {
  const { started, connect, count } = await serve();
  const [busy, other] = [
    await connect('Authorization: Bearer busy\r\n'),
    await connect('Authorization: Bearer other\r\n'),
  ];
  // Both have called lately: one that is alone does not wait.
  busy(1);
  other(1);
  await count(2);
  busy(BURST);
  other(1);
  await count(BURST + 3);
  expect(started.lastIndexOf('Bearer other')).toBeLessThan(BURST / 2);
});
