import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

/**
 * Ensures that only one process uses a directory: it listens on a socket named after it. Unlike a file with a
 * process ID, a socket always ends with its process. Returns false if another process uses the directory.
 */
export async function claimDirectory(directory: string): Promise<boolean> {
  const address = socketOf(directory);
  if (await listen(address)) return true;
  if (await answers(address)) return false;
  await rm(address, { force: true });
  return listen(address);
}

/** Whether a process uses the directory. */
export async function isClaimed(directory: string): Promise<boolean> {
  return answers(socketOf(directory));
}

function socketOf(directory: string): string {
  const name = `module-import-${createHash('sha256').update(path.resolve(directory)).digest('hex').slice(0, 16)}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : path.join(os.tmpdir(), `${name}.sock`);
}

async function listen(address: string): Promise<boolean> {
  const server = net.createServer((socket) => socket.destroy()).listen(address);
  const isListening = await succeeds(server, 'listening');
  server.unref();
  return isListening;
}

async function answers(address: string): Promise<boolean> {
  const socket = net.connect(address);
  const isConnected = await succeeds(socket, 'connect');
  socket.destroy();
  return isConnected;
}

/** Whether it comes to an event, and not to an error. */
async function succeeds(emitter: net.Server | net.Socket, event: string): Promise<boolean> {
  return once(emitter, event).then(
    () => true,
    () => false,
  );
}
