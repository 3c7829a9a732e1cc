import { listModulesBehind } from '../../shared/db/modules/recheck-dependents.ts';
import { recheckModule } from '../../shared/registration/recheck-module.ts';
import type { ChangeSequencer } from '../../shared/db/changes/change-sequencer.ts';
import type { Database } from '../../shared/db/database.ts';
import { forEachAtOnce } from '../../shared/process/for-each-at-once.ts';

const MODULES_AT_ONCE = 4;

/** Checks what depends on modules after their releases: the pieces that the releasing process has left. */
export async function recheckDependents(database: Database, changes: ChangeSequencer): Promise<void> {
  const errors = await forEachAtOnce(await listModulesBehind(database), MODULES_AT_ONCE, (moduleId) =>
    recheckModule(database, moduleId).finally(() => changes.soon()),
  );
  if (errors.length > 0) throw new AggregateError(errors, 'dependents of modules not rechecked');
}
