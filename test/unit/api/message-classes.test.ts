import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, test } from 'vitest';
import { messageClasses } from '../../../api/http/server/serve.ts';

test("requests and responses have the application's classes from the start", async () => {
  const app = express();
  app.get('/name', (request, response) => {
    response.json({ accepts: request.accepts('json'), isOwn: request.app === app && response.app === app });
  });
  const server = createServer(messageClasses(app), app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const before: unknown[] = [];
  server.prependListener('request', (request, response) => {
    before.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response));
  });
  const { port } = server.address() as AddressInfo;
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/name`);
    expect(await answer.json()).toEqual({ accepts: 'json', isOwn: true });
    expect(before).toHaveLength(2);
    expect(before[0]).toBe(app.request);
    expect(before[1]).toBe(app.response);
  } finally {
    server.close();
  }
});
