import type { Redis } from 'ioredis';
import { FairSlots } from '../../shared/limits/fair-slots.ts';
import type { Context } from '../../shared/process/context.ts';
import { ImportGroups } from './import-groups.ts';
import { ImportRate } from './import-rate.ts';
import { ImportWaiter } from './import-waiter.ts';
import { StorageQuota } from './storage-quota.ts';

/** What imports need of an API process. */
export type Imports = ReturnType<typeof openImports>;

/** Opens what imports need. */
export function openImports({ config, database, log, organizationLimits }: Context, redis: Redis | null) {
  const { imports } = config;
  return {
    rate: new ImportRate(imports.maxImportsPerMinute, redis),
    waiter: new ImportWaiter(database, log),
    uploadSlots: new FairSlots({
      resource: 'uploads',
      max: imports.maxUploads,
      maxPerOwner: imports.maxUploadsPerOrganization,
    }),
    groups: new ImportGroups(database),
    quota: new StorageQuota(organizationLimits, database, imports.uploadRetentionDays),
  };
}
