import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** The rest of an answer, and whether its end arrived. */
export interface RestOfAnswer {
  readonly text: string;
  readonly isWhole: boolean;
}

/** An answer whose headers have arrived, and whose body is not read. */
export interface OpenAnswer {
  readonly status: number;
  /** Reads this many bytes at most every so often, until the answer ends or its reader hangs up. */
  readSlowly(bytes: number, everyMs: number): void;
  /** Reads up to a text, and what has arrived with it. */
  readUntil(text: string): Promise<void>;
  /** Reads what is left, until the answer ends or is broken off. */
  readRest(): Promise<RestOfAnswer>;
  /** Whether the answer ended, or was broken off. */
  hasEnded(): boolean;
  hangUp(): void;
}

/** Starts to read an answer and then stops reading. */
export async function startReading(
  address: URL,
  headers: Readonly<Record<string, string>>,
): Promise<OpenAnswer> {
  return new Promise((resolve, reject) => {
    const request = http.get(address, { headers, agent: false }, (response) => {
      response.on('error', () => undefined);
      response.pause();
      resolve({
        status: response.statusCode ?? 0,
        readSlowly: (bytes, everyMs) => void readSlowly(response, bytes, everyMs),
        readUntil: (text) => readUntil(response, text),
        readRest: () => readRest(response),
        hasEnded: () => response.closed,
        hangUp: () => request.destroy(),
      });
    });
    request.on('error', (error) => {
      if (!request.destroyed) reject(error);
    });
  });
}

async function readSlowly(response: http.IncomingMessage, bytes: number, everyMs: number): Promise<void> {
  while (!response.destroyed && !response.readableEnded) {
    response.read(Math.min(bytes, Math.max(response.readableLength, 1)));
    await sleep(everyMs);
  }
}

async function readUntil(response: http.IncomingMessage, text: string): Promise<void> {
  for (let read = ''; !read.includes(text);) {
    const piece = response.read() as Buffer | null;
    if (piece === null) await once(response, 'readable');
    else read += piece.toString();
  }
}

async function readRest(response: http.IncomingMessage): Promise<RestOfAnswer> {
  const pieces: Buffer[] = [];
  response.on('data', (piece: Buffer) => pieces.push(piece));
  response.resume();
  if (!response.closed) await new Promise((resolve) => response.once('close', resolve));
  return { text: Buffer.concat(pieces).toString(), isWhole: response.complete };
}
