import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A call that the receiver got. */
export interface ReceivedCall {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A back end that is called by webhooks. */
export interface WebhookReceiver {
  readonly url: string;
  readonly calls: readonly ReceivedCall[];
}

/** Answers a call; the default is 204. */
export type AnswerCall = (call: ReceivedCall, response: ServerResponse) => unknown;

/** Starts a receiver on this machine until the test ends. */
export async function startReceiver(answer?: AnswerCall): Promise<WebhookReceiver> {
  const calls: ReceivedCall[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const call = { id: String(request.headers['webhook-id']), headers: request.headers, body };
      calls.push(call);
      if (answer === undefined) response.writeHead(204).end();
      else answer(call, response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, calls };
}

/** The change, or the test, that a call was about. */
export function dataOf({ body }: ReceivedCall): Readonly<Record<string, unknown>> {
  return (JSON.parse(body) as { data: Record<string, unknown> }).data;
}

/** The numbers that `makeChanges` gave to the changes of these calls. */
export function numbersOf(calls: readonly ReceivedCall[]): readonly number[] {
  return calls.map((call) => dataOf(call)['revision'] as number);
}
