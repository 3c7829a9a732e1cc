import http from 'node:http';
import { pipeline } from 'node:stream';

/** How a storage may treat its callers. */
export type StorageMood =
  'well' | 'failing' | 'slow' | 'cutting' | 'answering late' | 'without reads' | 'away';

const SLOW_MS = 1_500;
/** Longer than a job's lock lasts. */
const LATE_MS = 7_000;
/** The share of requests that a bad mood affects, but for those that are about all. */
const SHARE = 0.6;

/** A proxy of an S3 server that fails, waits, or cuts bodies, as it is set to. */
export class StorageProxy {
  mood: StorageMood = 'well';
  readonly #target: number;
  readonly #server: http.Server;

  private constructor(target: number) {
    this.#target = target;
    this.#server = http.createServer((request, response) => this.#answer(request, response));
  }

  static async open(targetPort: number): Promise<StorageProxy> {
    const proxy = new StorageProxy(targetPort);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer(request: http.IncomingMessage, response: http.ServerResponse): void {
    if (this.mood === 'away') {
      request.socket.destroy();
      return;
    }
    const mood = Math.random() < SHARE ? this.mood : 'well';
    if (mood === 'failing' || (this.mood === 'without reads' && request.method === 'GET')) {
      request.resume();
      response.writeHead(Math.random() < 0.5 ? 500 : 503, { 'Content-Type': 'application/xml' });
      response.end('<Error><Code>InternalError</Code><Message>fault</Message></Error>');
      return;
    }
    const forward = () => this.#forward(request, response, mood);
    if (mood === 'slow') setTimeout(forward, SLOW_MS);
    else forward();
  }

  /** Cutting: half of the body in either direction passes. */
  #forward(request: http.IncomingMessage, response: http.ServerResponse, mood: StorageMood) {
    const cut = mood === 'cutting' ? request.socket : null;
    const { method, url, headers } = request;
    // The signature covers the host that the caller names.
    const onward = http.request({ port: this.#target, host: '127.0.0.1', method, path: url, headers });
    const end = () => {
      onward.destroy();
      response.destroy();
    };
    onward.on('error', end);
    response.on('error', end);
    if (cut !== null && method === 'PUT') {
      request.once('data', (bytes: Buffer) => {
        onward.write(bytes.subarray(0, bytes.length / 2));
        onward.destroy();
        cut.destroy();
      });
      return;
    }
    onward.on('response', (answer) => {
      if (cut === null) {
        const send = () => {
          // Its client may have gone meanwhile.
          if (response.destroyed) {
            answer.destroy();
            return;
          }
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          pipeline(answer, response, () => undefined);
        };
        // The data is on the disk; only its answer is late.
        if (mood === 'answering late' && method === 'PUT') setTimeout(send, LATE_MS);
        else send();
        return;
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.once('data', (bytes: Buffer) => {
        response.write(bytes.subarray(0, bytes.length / 2), () => {
          cut.destroy();
        });
      });
      answer.once('end', () => {
        cut.destroy();
      });
      answer.resume();
    });
    pipeline(request, onward, () => undefined);
  }
}
