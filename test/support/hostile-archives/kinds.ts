import { type HostileArchive, file } from './hostile-archive.ts';

function ofMode(unixMode: number): HostileArchive {
  return { entries: [{ ...file, unixMode }], code: 'archive-entry-kind-forbidden', entry: 'a.txt' };
}

function withAttributes(externalAttributes: number): HostileArchive {
  return { ...ofMode(0), entries: [{ ...file, central: { externalAttributes } }] };
}

/** Entries that are neither file nor folder. */
export const kinds: Record<string, HostileArchive> = {
  'a symbolic link': ofMode(0o120777),
  'a symbolic link from another system': {
    ...ofMode(0),
    entries: [{ ...file, unixMode: 0o120777, central: { versionMadeBy: 20 } }],
  },
  'a character device': ofMode(0o020644),
  'a block device': ofMode(0o060644),
  'a FIFO': ofMode(0o010644),
  'a socket': ofMode(0o140644),
  'a folder by mode with a file name': ofMode(0o040755),
  'a folder by DOS attribute with a file name': withAttributes(0x10),
  'a volume label': withAttributes(0x08),
  'a Windows reparse point': withAttributes(0x400),
};
