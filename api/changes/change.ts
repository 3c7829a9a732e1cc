import { Type, type TSchema } from 'typebox';
import { CHANGE_TYPES, type ChangeType, type ChangeSubject } from '../../shared/db/changes/change-types.ts';
import {
  boolean,
  dateTime,
  guid,
  integer,
  listOf,
  namedObject,
  oneOf,
  orNull,
  text,
  keywordsOf,
} from '../http/schema.ts';
import { TEST_TYPE } from '../../shared/webhooks/webhook-call.ts';

/** Whether a text is the type of a change. */
export const isChangeType = (text: string): text is ChangeType => Object.hasOwn(CHANGE_TYPES, text);

/** Every type of change. */
export const TYPES: readonly ChangeType[] = Object.keys(CHANGE_TYPES).filter(isChangeType);

const ENDED_STATUSES = ['succeeded', 'rejected', 'failed', 'cancelled'] as const;

const audience = namedObject(
  'ReleaseAudience',
  'For `revision.*`: the organizations that see the revision by its release; a staged one has none.',
  {
    everyone: boolean('Whether it is released to everyone.'),
    organizationIds: listOf(guid('An organization.'), 'The organizations of the ring.'),
    percent: orNull(integer('The share of all organizations, in percent; null: only those named.', 1)),
  },
);

/** A change that concerns a module: the changed objects, without their contents. */
export const change = namedObject('Change', 'A change that concerns a module, without contents.', {
  id: guid('The ID of the change. The same change always has the same ID.'),
  cursor: text('The changes after this one follow this cursor.'),
  type: oneOf(TYPES, 'The type of the event.'),
  at: dateTime('When the change was made. Changes are ordered by their commits, not by this time.'),
  organizationId: orNull(guid('The organization of the farmer; null if no single farmer is concerned.')),
  acceptedDataAreaIds: Type.Optional(
    listOf(
      guid('The ID of a data area.'),
      'For `installation.created` and `.changed`: the accepted data areas.',
    ),
  ),
  kinds: Type.Optional(
    listOf(text('A kind.'), 'For `structures.changed`: the kinds of the changed structures.'),
  ),
  structureIds: Type.Optional(
    orNull(
      listOf(guid('The ID of a structure.'), ''),
      'For `structures.changed`: null if more than 100 changed.',
    ),
  ),
  ruleId: Type.Optional(guid('For `rule.*` and `alert.acknowledged`: the rule.')),
  alertId: Type.Optional(guid('For `alert.acknowledged`: the alert.')),
  revision: Type.Optional(
    orNull(
      integer(
        'For `revision.*`, `consent.pending` and `import.ended`: the number of the revision; null: the import has ' +
          'made none.',
        1,
      ),
    ),
  ),
  audience: Type.Optional(audience),
  importId: Type.Optional(guid('For `import.ended`: the import.')),
  status: Type.Optional(oneOf(ENDED_STATUSES, 'For `import.ended`: the status of the import.')),
  outcome: Type.Optional(
    orNull(text('For `import.ended`: `created`, `updated` or `unchanged`; null unless it succeeded.')),
  ),
  moduleId: Type.Optional(guid('For `import.ended`: the module.')),
  clientId: Type.Optional(guid('For `key.expiring`: the API client.')),
  keyId: Type.Optional(guid('For `key.expiring`: the key.')),
});

/** What webhooks are called with: a type of change, or a test. */
export type EventType = ChangeType | typeof TEST_TYPE;

/** What an event is about. */
interface EventMeaning {
  readonly summary: string;
  /** Whether it concerns one farmer. */
  readonly isOfFarmer: boolean;
  /** What it names. */
  readonly subject: readonly (keyof ChangeSubject)[];
}

const ofFarmer = (summary: string, ...subject: EventMeaning['subject']): EventMeaning => ({
  ...{ summary, subject },
  isOfFarmer: true,
});
const ofModule = (summary: string, ...subject: EventMeaning['subject']): EventMeaning => ({
  ...{ summary, subject },
  isOfFarmer: false,
});

const EVENTS: Readonly<Record<ChangeType, EventMeaning>> = {
  'installation.created': ofFarmer('A farmer installed the module', 'acceptedDataAreaIds'),
  'installation.changed': ofFarmer(
    'What the module sees of a farmer changed: by the farmer, another revision, or the end of a quarantine',
    'acceptedDataAreaIds',
  ),
  'installation.removed': ofFarmer('A farmer removed the module'),
  'consent.pending': ofFarmer('A revision requests more than the farmer has accepted', 'revision'),
  'structures.changed': ofFarmer('Structures of a farmer changed', 'kinds', 'structureIds'),
  'structures.erased': ofFarmer('A farmer erased all structures'),
  'rule.created': ofFarmer('A farmer created an alert rule', 'ruleId'),
  'rule.changed': ofFarmer('An alert rule changed, or fits the module again', 'ruleId'),
  'rule.outdated': ofFarmer('An alert rule no longer fits the module', 'ruleId'),
  'rule.deleted': ofFarmer('An alert rule was deleted', 'ruleId'),
  'alert.acknowledged': ofFarmer('A farmer acknowledged an alert', 'alertId', 'ruleId'),
  'revision.staged': ofModule('A revision was imported without a release', 'revision', 'audience'),
  'revision.released': ofModule(
    'A revision, which may be an older one, was released to everyone or to a ring',
    'revision',
    'audience',
  ),
  'module.withdrawn': ofModule('The vendor withdrew the module: no new installations'),
  'module.offered': ofModule('The vendor offers the withdrawn module again'),
  'module.deprecated': ofModule('The vendor deprecated the module'),
  'module.deprecationEnded': ofModule('The module is deprecated no longer'),
  'module.quarantined': ofModule('An operator put the module into quarantine'),
  'module.quarantineEnded': ofModule('An operator ended the quarantine of the module'),
  'import.ended': ofModule(
    'An import of the module ended; one that only validates has no event',
    'importId',
    'status',
    'outcome',
    'moduleId',
    'revision',
  ),
  'key.expiring': ofModule('An API key expires within 14 days', 'clientId', 'keyId'),
};

/** An event of webhooks: what happened, and the schema of its body. */
export interface WebhookEvent {
  readonly type: EventType;
  readonly summary: string;
  readonly schema: TSchema;
}

const timestamp = dateTime('When it happened.');

/** The schemas have no names: generators that drop what no call of the service refers to would drop named ones. */
function eventSchema(type: EventType, { isOfFarmer, subject }: EventMeaning, cursor: TSchema): TSchema {
  const typeSchema = oneOf([type], 'What happened.');
  const { id, at } = change.properties;
  const data = Type.Object(
    {
      ...{ id, cursor, type: typeSchema, at },
      organizationId: isOfFarmer
        ? guid('The organization of the farmer.')
        : orNull(guid('Null: no single farmer is concerned.')),
      // Optional among all changes, but not for these.
      ...Object.fromEntries(
        subject.map((member) => [member, Type.Unsafe(keywordsOf(change.properties[member]))]),
      ),
    },
    { description: 'The change, as the feed lists it.' },
  );
  return Type.Object({ type: typeSchema, timestamp, data }, { description: 'The event.' });
}

/** Every event that webhooks are called with. */
export function webhookEvents(): readonly WebhookEvent[] {
  const events = TYPES.map((type) => {
    const meaning = EVENTS[type];
    return { type, summary: meaning.summary, schema: eventSchema(type, meaning, change.properties.cursor) };
  });
  const test = ofModule('A test event was requested');
  const noCursor = orNull(text('Null: the feed does not list tests.'));
  return [
    ...events,
    { type: TEST_TYPE, summary: test.summary, schema: eventSchema(TEST_TYPE, test, noCursor) },
  ];
}
