import { crc32, deflateRawSync } from 'node:zlib';
import type {
  ZipHeaderFields,
  ZipEndFields,
  Zip64EndFields,
  Zip64LocatorFields,
  ZipEntrySpec,
  ZipOptions,
} from './zip-spec.ts';
import { littleEndian, extraField } from './zip-bytes.ts';

interface Built {
  spec: ZipEntrySpec;
  fields: ZipHeaderFields;
  packed: Buffer;
  content: Buffer;
}

const MAX_16 = 0xffff;
const MAX_32 = 0xffffffff;

function build(spec: ZipEntrySpec): Built {
  const name = typeof spec.path === 'string' ? Buffer.from(spec.path) : spec.path;
  const content = Buffer.from(spec.content ?? '');
  const method = (spec.method ?? (content.length > 0 ? 'deflate' : 'stored')) === 'deflate' ? 8 : 0;
  const packed = spec.packed ?? (method === 8 ? deflateRawSync(content) : content);
  const isText = typeof spec.path === 'string' && name.some((byte) => byte > 0x7f);
  const isFolder = name.at(-1) === 0x2f;
  const mode = spec.unixMode ?? (isFolder ? 0o040755 : 0o100644);
  const fields: ZipHeaderFields = {
    signature: 0,
    versionMadeBy: 0x0314,
    versionNeeded: spec.zip64 === true ? 45 : 20,
    flags: (spec.flags ?? 0) | (isText ? 0x800 : 0) | (spec.descriptor === undefined ? 0 : 8),
    method,
    time: 0,
    date: 0x5a21,
    crc32: crc32(content),
    packedBytes: packed.length,
    sizeBytes: content.length,
    nameLength: -1,
    extraLength: -1,
    commentLength: -1,
    disk: 0,
    internalAttributes: 0,
    externalAttributes: mode * 2 ** 16 + (isFolder ? 0x10 : 0),
    offset: 0,
    name,
    extra: Buffer.alloc(0),
    comment: Buffer.alloc(0),
  };
  return { spec, fields, packed, content };
}

/** A length of -1 means the true one. */
function lengthOf(given: number, bytes: Buffer): number {
  return given === -1 ? bytes.length : given;
}

/** The common fields of a local header and a central directory header, in this order (APPNOTE 4.3.7 and 4.3.12). */
function sharedFields(f: ZipHeaderFields): (readonly [2 | 4, number])[] {
  return [
    [2, f.versionNeeded],
    [2, f.flags],
    [2, f.method],
    [2, f.time],
    [2, f.date],
    [4, f.crc32],
    [4, f.packedBytes],
    [4, f.sizeBytes],
    [2, lengthOf(f.nameLength, f.name)],
    [2, lengthOf(f.extraLength, f.extra)],
  ];
}

function localHeader({ spec, fields }: Built): Buffer {
  const streamed = spec.descriptor === undefined ? {} : { crc32: 0, packedBytes: 0, sizeBytes: 0 };
  const plain = { ...fields, signature: 0x04034b50, ...streamed };
  const zip64 =
    spec.zip64 === true
      ? extraField(1, littleEndian([8, plain.sizeBytes], [8, plain.packedBytes]))
      : Buffer.alloc(0);
  const sizes = spec.zip64 === true ? { packedBytes: MAX_32, sizeBytes: MAX_32 } : {};
  const extra = Buffer.concat([zip64, spec.localExtra ?? Buffer.alloc(0)]);
  const f = { ...plain, ...sizes, extra, ...spec.local };
  const head = littleEndian([4, f.signature], ...sharedFields(f));
  return Buffer.concat([head, f.name, f.extra]);
}

function descriptor({ spec, fields }: Built): Buffer {
  if (spec.descriptorBytes !== undefined) return spec.descriptorBytes;
  if (spec.descriptor === undefined || spec.descriptor === 'missing') return Buffer.alloc(0);
  const width = spec.descriptor.endsWith('64') ? 8 : 4;
  const values = littleEndian([4, fields.crc32], [width, fields.packedBytes], [width, fields.sizeBytes]);
  return spec.descriptor.startsWith('signed')
    ? Buffer.concat([littleEndian([4, 0x08074b50]), values])
    : values;
}

function centralRecord({ spec, fields }: Built, offset: number): Buffer {
  const plain = { ...fields, signature: 0x02014b50, offset };
  const zip64 =
    spec.zip64 === true
      ? extraField(1, littleEndian([8, plain.sizeBytes], [8, plain.packedBytes], [8, plain.offset]))
      : Buffer.alloc(0);
  const saturated = spec.zip64 === true ? { packedBytes: MAX_32, sizeBytes: MAX_32, offset: MAX_32 } : {};
  const extra = Buffer.concat([zip64, spec.centralExtra ?? Buffer.alloc(0)]);
  const f = { ...plain, ...saturated, extra, ...spec.central };
  const head = littleEndian(
    [4, f.signature],
    [2, f.versionMadeBy],
    ...sharedFields(f),
    [2, lengthOf(f.commentLength, f.comment)],
    [2, f.disk],
    [2, f.internalAttributes],
    [4, f.externalAttributes],
    [4, f.offset],
  );
  return Buffer.concat([head, f.name, f.extra, f.comment]);
}

function zip64Records(counts: ZipEndFields, at: number, options: ZipOptions): Buffer[] {
  const { disk, directoryDisk, entriesOnDisk, entries, directoryBytes, directoryOffset } = counts;
  const e: Zip64EndFields = {
    ...{ signature: 0x06064b50, recordBytes: 44 },
    ...{ disk, directoryDisk, entriesOnDisk, entries, directoryBytes, directoryOffset },
    ...options.zip64End,
  };
  const end = Buffer.concat([
    littleEndian([4, e.signature], [8, e.recordBytes], [2, 45], [2, 45], [4, e.disk], [4, e.directoryDisk]),
    littleEndian([8, e.entriesOnDisk], [8, e.entries], [8, e.directoryBytes], [8, e.directoryOffset]),
  ]);
  if (options.locator === false) return [end];
  const l: Zip64LocatorFields = { signature: 0x07064b50, disk: 0, offset: at, disks: 1, ...options.locator };
  return [end, littleEndian([4, l.signature], [4, l.disk], [8, l.offset], [4, l.disks])];
}

/** The end of central directory record, and in front of it the ZIP64 records where requested. */
export function endRecords(
  entries: number,
  directoryBytes: number,
  directoryOffset: number,
  options: ZipOptions = {},
): Buffer {
  const comment = Buffer.from(options.comment ?? '');
  const honest: ZipEndFields = {
    ...{ signature: 0x06054b50, disk: 0, directoryDisk: 0, entriesOnDisk: entries, entries },
    ...{ directoryBytes, directoryOffset, commentLength: comment.length },
  };
  const at = directoryOffset + directoryBytes + (options.afterDirectory?.length ?? 0);
  const zip64 = options.zip64 === true ? zip64Records(honest, at, options) : [];
  const saturated =
    options.zip64 === true
      ? { entriesOnDisk: MAX_16, entries: MAX_16, directoryBytes: MAX_32, directoryOffset: MAX_32 }
      : {};
  const e = { ...honest, ...saturated, ...options.end };
  const end = littleEndian(
    [4, e.signature],
    [2, e.disk],
    [2, e.directoryDisk],
    [2, e.entriesOnDisk],
    [2, e.entries],
    [4, e.directoryBytes],
    [4, e.directoryOffset],
    [2, e.commentLength],
  );
  return Buffer.concat([...zip64, end, comment]);
}

/** A ZIP archive of these entries, honest unless the entries and options say otherwise. */
export function buildZip(entries: readonly ZipEntrySpec[], options: ZipOptions = {}): Buffer {
  const none = Buffer.alloc(0);
  const parts: Buffer[] = [];
  const records: Buffer[] = [];
  let at = 0;
  const add = (bytes: Buffer): void => {
    parts.push(bytes);
    at += bytes.length;
  };
  for (const spec of entries) {
    const built = build(spec);
    add(spec.before ?? none);
    if (spec.withoutCentral !== true) records.push(centralRecord(built, at));
    if (spec.withoutLocal === true) continue;
    for (const bytes of [localHeader(built), built.packed, descriptor(built), spec.after ?? none]) add(bytes);
  }
  add(options.beforeDirectory ?? none);
  const directory = Buffer.concat(options.directoryOrder?.(records) ?? records);
  const end = endRecords(records.length, directory.length, at, options);
  return Buffer.concat([
    options.prefix ?? none,
    ...parts,
    directory,
    options.afterDirectory ?? none,
    end,
    options.suffix ?? none,
  ]);
}
