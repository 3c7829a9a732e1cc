import { sequenceChanges } from '../../shared/db/changes/change-sequencer.ts';
import { changeItem, type StoredChange } from '../../shared/db/changes/change-item.ts';
import { webhookBody } from '../../shared/webhooks/webhook-call.ts';
import { undocumentedCall } from './documented-event.ts';
import type { TestApp } from './test-app.ts';

/** A change of a module, as it is stored. */
export interface RecordedChange {
  readonly position: number;
  readonly type: string;
  readonly organizationId: string | null;
  readonly subject: {
    readonly ruleId?: string;
    readonly revision?: number | null;
    readonly structureIds?: readonly string[] | null;
    readonly acceptedDataAreaIds?: readonly string[];
    readonly clientId?: string;
    readonly alertId?: string;
  };
}

/** The changes of a module in order, with all that are committed; each as `/openapi.json` documents its event. */
export async function recordedChanges(app: TestApp, moduleId: string): Promise<readonly RecordedChange[]> {
  await sequenceChanges(app.api.database);
  const changes = await app.api
    .database('changes')
    .where({ moduleId })
    .orderBy('position')
    .select<StoredChange[]>('id', 'position', 'type', 'at', 'organizationId', 'subject');
  const issues = changes.flatMap((change) => undocumentedCall(webhookBody(changeItem(change))));
  if (issues.length > 0) throw new Error(`not as /openapi.json documents it: ${issues.join('; ')}`);
  return changes;
}
