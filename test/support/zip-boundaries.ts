const LOCAL_HEADER_BYTES = 30;
const RECORD_BYTES = 46;
const END_BYTES = 22;

/**
 * Where the parts of an archive without ZIP64 and comment start (APPNOTE 4.3.6): local headers, data, the central
 * directory's records, its end, and where the archive ends.
 */
export function zipBoundaries(archive: Buffer): readonly number[] {
  const end = archive.length - END_BYTES;
  const boundaries = new Set([end, archive.length]);
  const records = archive.readUInt16LE(end + 10);
  let at = archive.readUInt32LE(end + 16);
  for (let record = 0; record < records; record += 1) {
    const header = archive.readUInt32LE(at + 42);
    const data =
      header + LOCAL_HEADER_BYTES + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
    for (const each of [at, header, data, data + archive.readUInt32LE(at + 20)]) boundaries.add(each);
    at += RECORD_BYTES + archive.readUInt16LE(at + 28) + archive.readUInt16LE(at + 30);
  }
  return [...boundaries].toSorted((a, b) => a - b);
}
