import { Type } from 'typebox';
import { AUDIT_ACTIONS, type AuditDetails } from '../../shared/db/access/models.ts';
import { dateTime, guid, namedObject, oneOf, orNull, text } from '../http/schema.ts';

const details = Type.Unsafe<AuditDetails>({
  type: 'object',
  // Any value: alternatives with a list among them do not compile in Java.
  additionalProperties: { description: 'A text, a number, or a list of texts.' },
  description: 'Further details, such as the data areas that an installation accepted.',
});

/** An entry of the audit log. */
export const auditEntry = namedObject('AuditEntry', 'A recorded change.', {
  id: guid('The ID of the entry.'),
  at: dateTime('When it happened.'),
  organizationId: guid('The organization whose log shows the entry.'),
  organizationName: orNull(text('Its name then. Names are those at the time of the entry; null: not known.')),
  actor: text(
    'The actor: the subject of the token; `organization` and an ID for an action of another organization.',
  ),
  actorName: orNull(
    text("The actor's name: as the organization names its member, else as the token names the person."),
  ),
  action: oneOf(AUDIT_ACTIONS, 'The kind of action.'),
  moduleId: orNull(guid('The module; null if the action is about none.')),
  moduleName: orNull(text("The module's name in English.")),
  clientId: orNull(guid('The API client; null if the action is about none.')),
  targetId: orNull(guid('The import, alert rule, alert or invitation; null if the action is about none.')),
  targetName: orNull(
    text(
      'The name of the alert rule, the API client, or the person; the title of the alert; the file of the import. Null if the action is about none.',
    ),
  ),
  details: orNull(details),
  traceId: text('The trace ID of the request.'),
});
