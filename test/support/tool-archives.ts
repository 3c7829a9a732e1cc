import { readFileSync } from 'node:fs';
import { desktopArchive } from './desktop-archives.ts';
import { keptArchive, type ZipTool } from './zip-tools.ts';

/** The archive that the tool makes of the example: its exact bytes, or built where it runs on no Debian. */
export function toolArchive({ tool, programs }: ZipTool): Buffer {
  return programs.length > 0 ? readFileSync(keptArchive(tool)) : desktopArchive(tool);
}
