/** The facts by which the entries of ZIP tools differ: neither times nor sizes, permissions or contents. */
export interface EntryFacts {
  /** One character for each byte. */
  readonly name: string;
  /** What the facts may depend on. */
  readonly kind: string;
  /** The system, and the version of the standard (APPNOTE 4.4.2). */
  readonly madeBy: string;
  readonly versionNeeded: number;
  /** Bit 3: streamed, with a data descriptor. Bit 11: the name is UTF-8. */
  readonly flags: string;
  readonly method: number;
  /** The Unix type of file, and what else is no permission and no attribute of Windows but that of folders. */
  readonly attributes: string;
  /** IDs of extra fields in the local header, and in the central directory. */
  readonly localExtra: string;
  readonly centralExtra: string;
}

const NOT_COMPARED = 0x0fff_00a7;

function hex(value: number): string {
  return `0x${(value >>> 0).toString(16)}`;
}

function extraIds(extra: Buffer): string {
  const ids: string[] = [];
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2))
    ids.push(hex(extra.readUInt16LE(at)));
  return ids.join(' ');
}

function kindOf(name: string, sizeBytes: number): string {
  const content = /[/\\]$/.test(name) ? 'folder' : sizeBytes === 0 ? 'empty file' : 'file';
  return /^[\x20-\x7e]*$/.test(name) ? content : `${content} whose name is not ASCII`;
}

/** The facts of the entry at this place of the central directory (APPNOTE 4.3.12), and of its local header (4.3.7). */
function factsAt(zip: Buffer, at: number): EntryFacts {
  const nameEnd = at + 46 + zip.readUInt16LE(at + 28);
  const local = zip.readUInt32LE(at + 42);
  const localName = local + 30 + zip.readUInt16LE(local + 26);
  const name = zip.toString('latin1', at + 46, nameEnd);
  return {
    name,
    kind: kindOf(name, zip.readUInt32LE(at + 24)),
    madeBy: hex(zip.readUInt16LE(at + 4)),
    versionNeeded: zip.readUInt16LE(at + 6),
    flags: hex(zip.readUInt16LE(at + 8)),
    method: zip.readUInt16LE(at + 10),
    attributes: hex(zip.readUInt32LE(at + 38) & ~NOT_COMPARED),
    localExtra: extraIds(zip.subarray(localName, localName + zip.readUInt16LE(local + 28))),
    centralExtra: extraIds(zip.subarray(nameEnd, nameEnd + zip.readUInt16LE(at + 30))),
  };
}

/** The facts of each entry of an archive without a comment, in the order of the central directory. */
export function zipFacts(zip: Buffer): readonly EntryFacts[] {
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  const facts: EntryFacts[] = [];
  let at = zip.readUInt32LE(end + 16);
  while (at < end) {
    facts.push(factsAt(zip, at));
    at += 46 + zip.readUInt16LE(at + 28) + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return facts;
}
