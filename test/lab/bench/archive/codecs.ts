// Each codec alone on one thread, by processor time, so that other work on the machine hardly matters.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { crc32, inflateRawSync } from 'node:zlib';

const ROUNDS = 3;
const END_RECORD_BYTES = 22;
const LOCAL_HEADER_BYTES = 30;
const CENTRAL_RECORD_BYTES = 46;

/** An entry's compressed bytes and what its directory header says about them. */
export interface PackedEntry {
  readonly packed: Buffer;
  readonly sizeBytes: number;
  readonly crc32: number;
}

/** The entries of an archive as the benchmark makes them: deflated, with no extra field and no comment. */
export function* packedEntries(path: string): Generator<PackedEntry> {
  const bytes = readFileSync(path);
  const end = bytes.length - END_RECORD_BYTES;
  let record = bytes.readUInt32LE(end + 16);
  while (record < end) {
    const nameBytes = bytes.readUInt16LE(record + 28);
    const data = bytes.readUInt32LE(record + 42) + LOCAL_HEADER_BYTES + nameBytes;
    yield {
      packed: bytes.subarray(data, data + bytes.readUInt32LE(record + 20)),
      sizeBytes: bytes.readUInt32LE(record + 24),
      crc32: bytes.readUInt32LE(record + 16),
    };
    record += CENTRAL_RECORD_BYTES + nameBytes;
  }
}

/** Inflates an entry in one go into a buffer of its size. */
export function inflateEntry({ packed, sizeBytes }: PackedEntry): Buffer {
  return inflateRawSync(packed, { chunkSize: sizeBytes + 1 });
}

function cpuMs(act: () => void): number {
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    act();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

function printAlone(path: string): void {
  const entries = [...packedEntries(path)];
  const contents = entries.map(inflateEntry);
  const bytes = contents.reduce((sum, { length }) => sum + length, 0);
  const acts: Record<string, () => void> = {
    inflate: () => {
      for (const entry of entries) inflateEntry(entry);
    },
    'CRC-32': () => {
      for (const content of contents) crc32(content);
    },
    'SHA-256': () => {
      for (const content of contents) hash('sha256', content, 'hex');
    },
  };
  for (const [name, act] of Object.entries(acts)) {
    const ms = cpuMs(act);
    const perEntry = ((ms * 1000) / entries.length).toFixed(1);
    console.log(
      `${name}: ${ms.toFixed(0)} ms, ${(bytes / 1000 / ms).toFixed(0)} MB/s, ${perEntry} µs an entry`,
    );
  }
}

const [, , path] = process.argv;
if (process.argv[1] === import.meta.filename && path !== undefined) printAlone(path);
