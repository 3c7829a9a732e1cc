import net from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, vi } from 'vitest';
import { answerOf } from '../support/answer-of.ts';
import { serviceTest } from '../support/service-test.ts';

type Line = Readonly<Record<string, unknown>>;

const lines: Line[] = [];
const test = serviceTest({ worker: false, onLog: (line) => lines.push(JSON.parse(line) as Line) });

/** The lines about the request with this trace, once they are written. */
async function linesOf(traceId: unknown): Promise<readonly Line[]> {
  const found = () =>
    lines.filter((line) => line['traceId'] === traceId && line['msg'] === 'request answered');
  await vi.waitFor(() => expect(found()).not.toEqual([]));
  return found();
}

test('a request leaves one line with its route, organization, sizes and trace, and neither address nor query', async ({
  app,
  vendor,
}) => {
  const answer = await app.as(vendor).get('/imports?limit=7');
  const found = await linesOf(answer.headers.get('x-trace-id'));
  expect(found).toEqual([
    expect.objectContaining({
      ...{ level: 30, method: 'GET', route: '/api/v8.0/:orgId/imports', status: 200, isAborted: false },
      organization: vendor.id,
      durationMs: expect.any(Number) as number,
      receivedBytes: expect.any(Number) as number,
      sentBytes: expect.any(Number) as number,
    }),
  ]);
  expect(found[0]?.['sentBytes']).toBeGreaterThan(answer.text.length);
  expect(JSON.stringify(found)).not.toContain('limit');
});

test.for([
  ['/api/v8.0/nowhere', '/api/v8.0/*', 404, 'not-found'],
  ['/api/v8.0/limits?unknown=1', '/api/v8.0/limits', 400, 'request-invalid'],
] as const)(
  '%s leaves a line with the traceId that its problem quotes',
  async ([path, route, status, problem], { app }) => {
    const answer = await answerOf(fetch(`${app.url}${path}`));
    expect(await linesOf(answer.body.traceId)).toEqual([
      expect.objectContaining({ method: 'GET', route, status, problem, organization: null }),
    ]);
  },
);

test('bytes that are not HTTP leave a line too', async ({ app }) => {
  const { hostname, port } = new URL(app.url);
  const socket = net.connect(Number(port), hostname);
  socket.end('nonsense\r\n\r\n');
  const answer = await text(socket);
  expect(await linesOf(/X-Trace-Id: (\w+)/.exec(answer)?.[1])).toEqual([
    expect.objectContaining({ status: 400, problem: 'request-invalid' }),
  ]);
});
