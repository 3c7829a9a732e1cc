import { deflateRawSync } from 'node:zlib';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ZipEntrySpec } from '../../../support/zip-spec.ts';
import { buildZip } from '../../../support/zip-builder.ts';

const KiB = 1024;
const MiB = 1024 * KiB;

/** The size that the file of the mid-stream row declares, and the size that it unpacks to. */
export const BOMB_LIMIT_BYTES = 32 * MiB;
export const BOMB_BYTES = 128 * MiB;

/** Text that deflates to about a third, different for each seed. */
function prose(bytes: number, seed: number): Buffer {
  const words = 'field farm block station alert rule module value function return const import export'.split(
    ' ',
  );
  const parts: string[] = [];
  let state = seed * 2654435761 + 1;
  for (let length = 0; length < bytes;) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    const part = `${words[(state >>> 8) % words.length] ?? ''}_${(state >>> 20).toString(36)}(${state >>> 27}); `;
    parts.push(part);
    length += part.length;
  }
  return Buffer.from(parts.join('')).subarray(0, bytes);
}

function many(count: number, bytes: number): ZipEntrySpec[] {
  return Array.from({ length: count }, (_, index) => ({
    path: `PackageArtifact/build/assets/chunk-${index % 100}/module-${index}.js`,
    content: prose(bytes, index),
  }));
}

function empty(count: number): ZipEntrySpec[] {
  return Array.from({ length: count }, (_, index) => ({
    path: `PackageArtifact/build/assets/chunk-${index % 500}/module-${index}.js`,
  }));
}

function bomb(): Buffer {
  const size = { sizeBytes: BOMB_LIMIT_BYTES };
  const packed = deflateRawSync(prose(BOMB_BYTES, 7), { level: 1 });
  return buildZip([{ path: 'bomb', content: 'x', packed, local: size, central: size }]);
}

/** The archives that the benchmark reads, by name. */
export const SAMPLES: Record<string, () => Buffer> = {
  'large-files': () => buildZip(many(16, 8 * MiB)),
  'small-files': () => buildZip(many(20_000, 4 * KiB)),
  'many-entries': () => buildZip(empty(50_000)),
  'refused-by-count': () => buildZip(empty(50_001)),
  'refused-by-hidden-count': () => buildZip(empty(70_000), { end: { entries: 4464, entriesOnDisk: 4464 } }),
  'refused-by-size': () => buildZip([{ path: 'a', content: 'x', central: { sizeBytes: 0xfffffffe } }]),
  'refused-by-end-record': () => Buffer.concat([buildZip(many(1000, 4 * KiB)), buildZip([])]),
  bomb,
};

const [, , folder, ...names] = process.argv;
if (process.argv[1] === import.meta.filename && folder !== undefined) {
  mkdirSync(folder, { recursive: true });
  for (const name of names) {
    const make = SAMPLES[name];
    if (make !== undefined) writeFileSync(join(folder, `${name}.zip`), make());
  }
}
