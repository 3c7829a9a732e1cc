import { buildZip } from './zip-builder.ts';
import type { HostileArchive } from './hostile-archives/hostile-archive.ts';
import { names } from './hostile-archives/names.ts';
import { conflicts } from './hostile-archives/conflicts.ts';
import { kinds } from './hostile-archives/kinds.ts';
import { headers } from './hostile-archives/local-headers.ts';
import { sizes } from './hostile-archives/sizes.ts';
import { structures } from './hostile-archives/structures.ts';
import { extras } from './hostile-archives/extra-fields.ts';
import { zip64Records } from './hostile-archives/zip64-records.ts';
import { codecs } from './hostile-archives/codecs.ts';

/** Archives that must be refused, by what is wrong with them. */
export const HOSTILE_ARCHIVES: Readonly<Record<string, Readonly<Record<string, HostileArchive>>>> = {
  names,
  conflicts,
  kinds,
  'local headers': headers,
  sizes,
  structure: { ...structures, ...zip64Records },
  'extra fields': extras,
  codecs,
};

/** The bytes of a hostile archive. */
export function hostileBytes({ bytes, entries = [], options }: HostileArchive): Buffer {
  return bytes ?? buildZip(entries, options);
}
