/** Every field of a local or central directory header (APPNOTE 4.3.7, 4.3.12); a test may set false values. */
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

/** Every field of the end of central directory record (APPNOTE 4.3.16). */
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

/** The form of the data descriptor (APPNOTE 4.3.9): with or without signature, in 32 or 64 bits. */
export type DescriptorForm = 'signed' | 'unsigned' | 'signed64' | 'unsigned64' | 'missing';

/** One entry. With only `path` and `content` it is an honest one. */
export interface ZipEntrySpec {
  /** Text is encoded as UTF-8, and flagged so where it is not ASCII. A folder's ends in `/`. */
  path: string | Buffer;
  content?: Buffer | string;
  /** Default: deflate, and stored where there is no content. */
  method?: 'stored' | 'deflate';
  /** Compressed bytes to write instead of the correct ones. */
  packed?: Buffer;
  /** The whole Unix mode with its type bits. */
  unixMode?: number;
  /** General purpose flags to set in addition to the correct ones, in both headers. */
  flags?: number;
  /** Streams the entry: sizes and CRC-32 follow the data. */
  descriptor?: DescriptorForm;
  /** Bytes of the descriptor instead of the correct ones. */
  descriptorBytes?: Buffer;
  /** Writes sizes (and the offset, in the directory) in ZIP64 extra fields. */
  zip64?: boolean;
  localExtra?: Buffer;
  centralExtra?: Buffer;
  local?: Partial<ZipHeaderFields>;
  central?: Partial<ZipHeaderFields>;
  /** Bytes before the local header that belong to no entry. */
  before?: Buffer;
  /** Bytes after the data and its descriptor that belong to no entry. */
  after?: Buffer;
  /** Leaves out the local header and data. */
  withoutLocal?: boolean;
  /** Omits the central directory header: a hidden entry. */
  withoutCentral?: boolean;
}

/** The records around the entries. Without these options the archive is an honest one. */
export interface ZipOptions {
  comment?: Buffer | string;
  /** Bytes in front of everything; the offsets do not include them. */
  prefix?: Buffer;
  beforeDirectory?: Buffer;
  afterDirectory?: Buffer;
  suffix?: Buffer;
  end?: Partial<ZipEndFields>;
  /** Writes the ZIP64 end record and its locator. */
  zip64?: boolean;
  zip64End?: Partial<Zip64EndFields>;
  /** Fields of the locator; false omits it. */
  locator?: Partial<Zip64LocatorFields> | false;
  /** Default: the order of the entries. */
  directoryOrder?: (records: Buffer[]) => Buffer[];
}
