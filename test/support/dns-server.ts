import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';

/** A DNS server on loopback whose answers a test decides, as the owner of a name does. */
export interface DnsServer {
  /** For `setServers`. */
  readonly address: string;
  /** The names that were asked for, each with its type: 1 is A, 28 is AAAA. */
  readonly queries: string[];
  stop(): Promise<void>;
}

const HEADER_BYTES = 12;
const TYPE_A = 1;

/** Starts a server that answers with the addresses which `answer` returns; null: it does not answer. */
export async function startDnsServer(
  answer: (name: string, type: number, count: number) => readonly string[] | null,
): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const queries: string[] = [];
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query);
    queries.push(`${name} ${type}`);
    const count = queries.filter((each) => each === `${name} ${type}`).length;
    const addresses = answer(name, type, count)?.filter((each) => isIPv4(each) === (type === TYPE_A));
    if (addresses === undefined) return;
    const header = Buffer.from(query.subarray(0, HEADER_BYTES));
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(addresses.length, 6);
    header.writeUInt32BE(0, 8);
    socket.send(
      Buffer.concat([header, query.subarray(HEADER_BYTES, end), ...addresses.map(recordOf)]),
      from.port,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queries,
    async stop() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

/** The one question of a query (RFC 1035, section 4.1.2). */
function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** A record of the question's name with an address (RFC 1035, section 4.1.3). */
function recordOf(address: string): Buffer {
  const bytes = isIPv4(address) ? Buffer.from(address.split('.').map(Number)) : ipv6Bytes(address);
  const fixed = Buffer.from([
    0xc0,
    HEADER_BYTES,
    0,
    bytes.length === 4 ? 1 : 28,
    0,
    1,
    0,
    0,
    0,
    0,
    0,
    bytes.length,
  ]);
  return Buffer.concat([fixed, bytes]);
}

function ipv6Bytes(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((each) => parseInt(each, 16)));
  const [left, right] = [groups(head), groups(tail)];
  const all = [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}
