import { Type } from 'typebox';
import { CHANGE_TYPES, type ChangeType } from '../../shared/db/changes/change-types.ts';
import { dateTime, guid, integer, listOf, namedObject, oneOf, orNull, text } from '../http/schema.ts';

const isType = (key: string): key is ChangeType => Object.hasOwn(CHANGE_TYPES, key);

/** Every type of change. */
export const TYPES: readonly ChangeType[] = Object.keys(CHANGE_TYPES).filter(isType);

/** A change that concerns a module: what changed, not how. */
export const change = namedObject('Change', 'A change that concerns a module: what changed, not how.', {
  id: guid('The ID of the change. The same change always has the same ID.'),
  cursor: text('The changes after this one follow this cursor.'),
  type: oneOf(TYPES, 'What happened.'),
  at: dateTime('When the change was made. Changes are ordered by their commits, not by this time.'),
  organizationId: orNull(guid('The organization of the farmer; null if no single farmer is concerned.')),
  acceptedDataAreaIds: Type.Optional(
    listOf(
      guid('The ID of a data area.'),
      'Of `installation.created` and `.changed`: what the farmer accepts.',
    ),
  ),
  kinds: Type.Optional(
    listOf(text('A kind.'), 'Of `structures.changed`: the kinds of the structures that changed.'),
  ),
  structureIds: Type.Optional(
    orNull(
      listOf(guid('The ID of a structure.'), ''),
      'Of `structures.changed`: null if they are more than 100.',
    ),
  ),
  ruleId: Type.Optional(guid('Of `rule.*` and `alert.acknowledged`: the rule.')),
  alertId: Type.Optional(guid('Of `alert.acknowledged`: the alert.')),
  revision: Type.Optional(integer('Of `revision.*` and `consent.pending`: the number of the revision.', 1)),
  clientId: Type.Optional(guid('Of `key.expiring`: the API client.')),
  keyId: Type.Optional(guid('Of `key.expiring`: the key.')),
});
