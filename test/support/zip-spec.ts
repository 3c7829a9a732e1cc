/** Every field of a local header or a central directory record (APPNOTE 4.3.7, 4.3.12); a test may lie in any. */
export interface ZipHeaderFields {
  signature: number;
  versionMadeBy: number;
  versionNeeded: number;
  flags: number;
  method: number;
  time: number;
  date: number;
  crc32: number;
  packedBytes: number;
  sizeBytes: number;
  nameLength: number;
  extraLength: number;
  commentLength: number;
  disk: number;
  internalAttributes: number;
  externalAttributes: number;
  /** Of the local header. */
  offset: number;
  name: Buffer;
  extra: Buffer;
  comment: Buffer;
}

/** Every field of the end record (APPNOTE 4.3.16). */
export interface ZipEndFields {
  signature: number;
  disk: number;
  directoryDisk: number;
  entriesOnDisk: number;
  entries: number;
  directoryBytes: number;
  directoryOffset: number;
  commentLength: number;
}

/** Every field of the ZIP64 end record (APPNOTE 4.3.14). */
export interface Zip64EndFields {
  signature: number;
  recordBytes: number;
  disk: number;
  directoryDisk: number;
  entriesOnDisk: number;
  entries: number;
  directoryBytes: number;
  directoryOffset: number;
}

/** Every field of the ZIP64 locator (APPNOTE 4.3.15). */
export interface Zip64LocatorFields {
  signature: number;
  disk: number;
  offset: number;
  disks: number;
}

/** How the data descriptor is written (APPNOTE 4.3.9): with or without signature, in 32 or 64 bits. */
export type DescriptorForm = 'signed' | 'unsigned' | 'signed64' | 'unsigned64' | 'missing';

/** One entry. With `path` and `content` alone it is an honest one. */
export interface ZipEntrySpec {
  /** Text is written as UTF-8, flagged so where it is not ASCII. A folder's ends in `/`. */
  path: string | Buffer;
  content?: Buffer | string;
  /** Default: deflate, and stored where there is no content. */
  method?: 'stored' | 'deflate';
  /** Compressed bytes to write in place of the right ones. */
  packed?: Buffer;
  /** The whole Unix mode with its type bits. */
  unixMode?: number;
  /** General purpose flags to set beside the right ones, in both headers. */
  flags?: number;
  /** Streams the entry: sizes and CRC-32 follow the data. */
  descriptor?: DescriptorForm;
  /** Bytes of the descriptor in place of the right ones. */
  descriptorBytes?: Buffer;
  /** Writes sizes (and the offset, in the directory) in ZIP64 extra fields. */
  zip64?: boolean;
  localExtra?: Buffer;
  centralExtra?: Buffer;
  local?: Partial<ZipHeaderFields>;
  central?: Partial<ZipHeaderFields>;
  /** Bytes before the local header that no entry owns. */
  before?: Buffer;
  /** Bytes after the data and its descriptor that no entry owns. */
  after?: Buffer;
  /** Leaves out the local header and data. */
  withoutLocal?: boolean;
  /** Leaves out the directory's record: a hidden entry. */
  withoutCentral?: boolean;
}

/** What is around the entries. With none of these the archive is an honest one. */
export interface ZipOptions {
  comment?: Buffer | string;
  /** Bytes in front of everything; the offsets do not count them. */
  prefix?: Buffer;
  beforeDirectory?: Buffer;
  afterDirectory?: Buffer;
  suffix?: Buffer;
  end?: Partial<ZipEndFields>;
  /** Writes the ZIP64 end record and its locator. */
  zip64?: boolean;
  zip64End?: Partial<Zip64EndFields>;
  /** Fields of the locator; false leaves it out. */
  locator?: Partial<Zip64LocatorFields> | false;
  /** Default: the order of the entries. */
  directoryOrder?: (records: Buffer[]) => Buffer[];
}
