import { listModulesBehind } from '../../shared/db/modules/recheck-dependents.ts';
import { recheckModule } from '../../shared/registration/recheck-module.ts';
import type { ChangeSequencer } from '../../shared/db/changes/change-sequencer.ts';
import type { Database } from '../../shared/db/database.ts';
import { forEachAtOnce } from './for-each-at-once.ts';

const MODULES_AT_ONCE = 4;

/** Checks what depends on modules after their releases: the pieces that the releasing process has left. */
export async function recheckDependents(database: Database, changes: ChangeSequencer): Promise<void> {
  const failures: unknown[] = [];
  // The failure of one module keeps no other waiting.
  await forEachAtOnce(await listModulesBehind(database), MODULES_AT_ONCE, async (moduleId) => {
    await recheckModule(database, moduleId).catch((error: unknown) => failures.push(error));
    changes.soon();
  });
  if (failures.length > 0) throw new AggregateError(failures, 'dependents of modules not rechecked');
}
