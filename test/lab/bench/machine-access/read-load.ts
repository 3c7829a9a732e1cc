import { once } from 'node:events';
import net from 'node:net';

/** The request that each client repeats. */
export interface ReadTarget {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

const HEAD_END = '\r\n\r\n';

/**
 * Sends requests for this long, each client on a connection of its own, the next when an answer is complete.
 * It reads only an answer's status and length, so that the load takes as little as possible from the servers.
 * @returns answers a second
 * @throws Error at an answer of another status
 */
export async function loadReads(
  targets: readonly ReadTarget[],
  seconds: number,
  status: number,
): Promise<number> {
  const startedMs = performance.now();
  const untilMs = startedMs + seconds * 1_000;
  const counts = await Promise.all(targets.map((target) => readUntil(target, untilMs, status)));
  const answers = counts.reduce((sum, count) => sum + count, 0);
  return (answers * 1_000) / (performance.now() - startedMs);
}

async function readUntil(target: ReadTarget, untilMs: number, status: number): Promise<number> {
  const socket = net.connect(target.port, '127.0.0.1').setNoDelay();
  await once(socket, 'connect');
  const request = requestText(target);
  const answers = new Answers();
  return new Promise<number>((resolve, reject) => {
    socket.on('error', reject).on('close', () => {
      if (answers.status === status) resolve(answers.count);
      else reject(new Error(`expected ${status}, not ${answers.status}`));
    });
    socket.on('data', (piece) => {
      if (!answers.add(piece)) return;
      if (answers.status === status && performance.now() < untilMs) socket.write(request);
      else socket.destroy();
    });
    socket.write(request);
  });
}

/** Counts the answers of a connection on which each request waits for the previous answer. */
class Answers {
  count = 0;
  /** Of the last answer. */
  status = 0;
  #head = '';
  /** Bytes of the body that are still to come. */
  #left = 0;

  /** Consumes what arrived; true where it completes an answer. */
  add(piece: Buffer): boolean {
    if (this.#left > 0) this.#left -= piece.length;
    else {
      this.#head += piece.toString('latin1');
      const end = this.#head.indexOf(HEAD_END);
      if (end < 0) return false;
      this.status = Number(this.#head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
      const length = /\r\ncontent-length: (\d+)/i.exec(this.#head.slice(0, end))?.[1] ?? '0';
      this.#left = Number(length) - (this.#head.length - end - HEAD_END.length);
      this.#head = '';
    }
    if (this.#left > 0) return false;
    this.count += 1;
    return true;
  }
}

function requestText({ port, path, headers }: ReadTarget): string {
  const lines = Object.entries({ Host: `127.0.0.1:${port}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return [`GET ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n');
}
