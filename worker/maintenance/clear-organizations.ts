import { clearOrganization, findUncleared } from '../../shared/db/access/delete-organization.ts';
import type { Context } from '../../shared/process/context.ts';
import { forEachAtOnce } from '../../shared/process/for-each-at-once.ts';

const AT_ONCE = 4;

/**
 * Deletes what belongs to deleted organizations, several at once: one that is large, or whose rows are in use, does not keep
 * the others waiting, nor does one that fails.
 */
export async function clearOrganizations(
  { database }: Pick<Context, 'database'>,
  longestUploadMs: number,
): Promise<void> {
  const errors = await forEachAtOnce(await findUncleared(database), AT_ONCE, (organization) =>
    clearOrganization(database, organization, longestUploadMs),
  );
  if (errors.length > 0)
    throw new AggregateError(errors, `${errors.length} deleted organizations are not cleared`);
}
