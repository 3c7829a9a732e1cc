import type { LocatedFile } from '../../shared/db/modules/located-file.ts';
import { FairSlots } from '../../shared/limits/fair-slots.ts';
import type { Context } from '../../shared/process/context.ts';
import { SharedReads } from '../http/limits/shared-reads.ts';
import { ArchiveReader } from './archive-reader.ts';

/** The senders of modules' files, and of whole packages. */
export interface ModuleFiles {
  readonly archives: ArchiveReader;
  readonly reads: SharedReads<LocatedFile | null>;
  readonly downloadSlots: FairSlots;
  readonly exportSlots: FairSlots;
}

/** A page with many images, or a client that downloads a whole package, waits for its turns. */
const WAITING_DOWNLOADS = { maxWaitingPerOwner: 256, maxWaitMs: 5_000 };

/** Opens the senders of modules' files. */
export function openModuleFiles({ config: { sharing }, storage }: Context): ModuleFiles {
  const downloadSlots = new FairSlots({
    resource: 'downloads',
    ownerKind: 'caller',
    max: sharing.maxDownloads,
    maxPerOwner: sharing.maxDownloadsPerOrganization,
    ...WAITING_DOWNLOADS,
  });
  return {
    archives: new ArchiveReader(storage, downloadSlots),
    reads: new SharedReads(),
    downloadSlots,
    exportSlots: new FairSlots({
      resource: 'exports',
      max: sharing.maxExports,
      maxPerOwner: sharing.maxExportsPerOrganization,
    }),
  };
}
