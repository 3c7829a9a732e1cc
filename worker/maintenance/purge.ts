import type { Actor } from '../../shared/db/access/audit-log.ts';
import {
  clearOrganization,
  deleteOrganization,
  findUncleared,
} from '../../shared/db/access/delete-organization.ts';
import { ownDeployments } from '../../shared/db/deployments.ts';
import {
  addTo,
  dueArchives,
  freeArchivesOf,
  releaseFreedArchives,
  type FreedArchive,
} from '../../shared/db/imports/freed-archives.ts';
import { findModuleOwner, listModuleIds, purgeModule } from '../../shared/db/modules/delete-module.ts';
import { isGuid } from '../../shared/package/schema/schema-parts.ts';
import type { Context } from '../../shared/process/context.ts';
import { graceOf } from './collect-garbage.ts';
import { removeFreed } from '../../shared/storage/remove-freed.ts';

/** The arguments of `npm run purge`. */
interface PurgeArguments {
  readonly module?: string | undefined;
  readonly organization?: string | undefined;
  readonly yes?: boolean | undefined;
}

/** The target of the purge; null if the arguments do not name and confirm one module or one organization. */
export function purgeTarget({
  module: moduleId,
  organization: organizationId,
  yes: isConfirmed = false,
}: PurgeArguments): { kind: 'module' | 'organization'; id: string } | null {
  if (!isConfirmed || (moduleId !== undefined && organizationId !== undefined)) return null;
  const id = (moduleId ?? organizationId ?? '').toLowerCase();
  return isGuid(id) ? { kind: moduleId === undefined ? 'organization' : 'module', id } : null;
}

/** The number of things that a purge removed. */
export interface Purged {
  modules: number;
  revisions: number;
  archives: number;
  bytes: number;
}

/**
 * Deletes a module where it still exists, and removes everything that is stored of it at once: downloads of it break
 * off. A package of the module that is imported meanwhile makes it anew, and stays. Null where there is no such module.
 */
export async function purgeOneModule(
  context: Context,
  moduleId: string,
  actor: Actor,
): Promise<Purged | null> {
  const organizationId = await findModuleOwner(context.database, moduleId);
  if (organizationId === null) return null;
  const purge = new Purge(context, await ownDeployments(context.database), actor);
  await purge.module(organizationId, moduleId);
  return purge.purged;
}

/**
 * Deletes an organization where it still exists, and removes everything that is stored of it at once. What its imports
 * that still run add is deleted by workers. Null where there was no such organization.
 */
export async function purgeOrganization(
  context: Context,
  organizationId: string,
  actor: Actor,
): Promise<Purged | null> {
  const { database } = context;
  const { outcome } = await deleteOrganization(database, organizationId, true, actor);
  const purge = new Purge(context, await ownDeployments(database), actor);
  for (const each of await findUncleared(database, organizationId))
    await clearOrganization(database, each, graceOf(context));
  for (const moduleId of await listModuleIds(database, organizationId))
    await purge.module(organizationId, moduleId);
  await purge.freed(organizationId);
  const { modules, archives } = purge.purged;
  return outcome === 'deleted' || modules > 0 || archives > 0 ? purge.purged : null;
}

class Purge {
  readonly purged: Purged = { modules: 0, revisions: 0, archives: 0, bytes: 0 };
  readonly #context: Context;
  readonly #deploymentIds: readonly string[];
  readonly #actor: Actor;

  constructor(context: Context, deploymentIds: readonly string[], actor: Actor) {
    this.#context = context;
    this.#deploymentIds = deploymentIds;
    this.#actor = actor;
  }

  async module(organizationId: string, moduleId: string): Promise<void> {
    const { database } = this.#context;
    const batches = await purgeModule(database, { organizationId, moduleId }, this.#actor);
    if (batches === null) return;
    this.purged.modules += 1;
    for await (const { length } of batches) this.purged.revisions += length;
    // With those of revisions that were deleted before.
    for await (const freed of releaseFreedArchives(database, { organizationId, moduleId }))
      await this.#remove(freed);
    for await (const freed of freeArchivesOf(database, organizationId, moduleId)) await this.#remove(freed);
  }

  /** What was freed of an organization, now or before, and is still stored. */
  async freed(organizationId: string): Promise<void> {
    for await (const freed of dueArchives(this.#context.database, 0, organizationId))
      await this.#remove(freed);
  }

  async #remove(freed: readonly FreedArchive[]): Promise<void> {
    addTo(this.purged, await removeFreed(this.#context, freed, this.#deploymentIds));
  }
}
