import { randomUUID } from 'node:crypto';
import type { ChangeSubject, ChangeType } from '../db/changes/change-types.ts';
import type { WebhookItem } from './webhook-call.ts';

const SOME_ID = '3f2504e0-4f89-41d3-9a0c-000000000003';
const OTHER_ID = '3f2504e0-4f89-41d3-9a0c-000000000004';
const FARMER_ID = '3f2504e0-4f89-41d3-9a0c-000000000002';
const RULE = { ruleId: SOME_ID };
const REVISION = { revision: 2 };
const DATA_AREAS = { acceptedDataAreaIds: [SOME_ID] };

/** The members of a change of each type, as the service sends them. */
const SUBJECTS: Readonly<Record<ChangeType, ChangeSubject>> = {
  'installation.created': DATA_AREAS,
  'installation.changed': DATA_AREAS,
  'installation.removed': {},
  'consent.pending': REVISION,
  'structures.changed': { kinds: ['field'], structureIds: [SOME_ID] },
  'structures.erased': {},
  'rule.created': RULE,
  'rule.changed': RULE,
  'rule.outdated': RULE,
  'rule.deleted': RULE,
  'alert.acknowledged': { alertId: OTHER_ID, ...RULE },
  'revision.staged': { ...REVISION, audience: { everyone: false, organizationIds: [], percent: null } },
  'revision.released': { ...REVISION, audience: { everyone: true, organizationIds: [], percent: null } },
  'module.withdrawn': {},
  'module.offered': {},
  'module.deprecated': {},
  'module.deprecationEnded': {},
  'module.quarantined': {},
  'module.quarantineEnded': {},
  'import.ended': {
    ...{ importId: SOME_ID, status: 'succeeded', outcome: 'updated' },
    ...{ moduleId: OTHER_ID, revision: 2 },
  },
  'key.expiring': { clientId: SOME_ID, keyId: OTHER_ID },
};

/** Those that concern no single farmer. */
const OF_MODULE = /^(?:revision|module|import|key)\./;

const isType = (name: string): name is ChangeType => Object.hasOwn(SUBJECTS, name);

/** The types of changes that there are samples of: all. */
export const SAMPLE_TYPES: readonly ChangeType[] = Object.keys(SUBJECTS).filter(isType);

/** A change as the service sends it, with an ID of its own; null: there is no such type. */
export function sampleChange(
  type: string,
  { id = randomUUID(), at = new Date() }: { readonly id?: string; readonly at?: Date } = {},
): (WebhookItem & ChangeSubject) | null {
  if (!isType(type)) return null;
  return {
    id,
    cursor: '4711-9f0c2b7e',
    type,
    at: at.toISOString().replace('Z', '+00:00'),
    organizationId: OF_MODULE.test(type) ? null : FARMER_ID,
    ...SUBJECTS[type],
  };
}
