import net from 'node:net';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '::1']);

const DONE = Symbol.for('closed network');
const connect = net.Socket.prototype.connect;

/** Tests reach only this machine: any other address fails at once, with its name. */
function connectHere(this: net.Socket, ...args: unknown[]): net.Socket {
  const [first, second] = Array.isArray(args[0]) ? (args[0] as unknown[]) : args;
  const options =
    typeof first === 'object' && first !== null ? (first as { host?: string; path?: string }) : {};
  const host =
    options.host ?? (typeof first === 'number' && typeof second === 'string' ? second : 'localhost');
  // RFC 6761, section 6.3, whatever the resolver knows.
  const isLocal = LOOPBACK.has(host) || host.endsWith('.localhost');
  if (host.endsWith('.localhost')) options.host = '127.0.0.1';
  if (options.path === undefined && !isLocal) throw new Error(`tests must not reach ${host}`);
  return Reflect.apply(connect, this, args) as net.Socket;
}

// A worker runs this file before each of its test files.
if (!Reflect.has(connect, DONE)) net.Socket.prototype.connect = Object.assign(connectHere, { [DONE]: true });
