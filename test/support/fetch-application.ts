import http from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface ApplicationRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Reads a path of an origin on this machine, whose host name Node does not find. `headers` may have another `Host`. */
export async function fetchApplication(
  origin: string,
  path: string,
  { method = 'GET', headers = {} }: ApplicationRequest = {},
): Promise<Response> {
  const { host, port } = new URL(origin);
  const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method, headers: { Host: host, ...headers } };
    http.request(options, resolve).once('error', reject).end();
  });
  const body = await buffer(answer);
  const status = answer.statusCode ?? 0;
  const pairs = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return new Response(status === 204 || status === 304 ? null : body, { status, headers: pairs });
}
