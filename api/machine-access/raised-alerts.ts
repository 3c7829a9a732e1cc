import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { RaisedAlert } from '../../shared/db/alerts/raise-alerts.ts';
import { alertFingerprint } from '../../shared/db/alerts/alert-fingerprint.ts';
import { bodyProblem } from '../http/json-body.ts';
import type { BodyIssue } from '../http/validate-body.ts';
import { guid, inputGuid, inputObject, listOf, namedObject, oneOf, orNull, sha256 } from '../http/schema.ts';

const MAX_ALERTS = 1_000;

const MAX_NAME = 200;
const MAX_TEXT = 20_000;
const time = (description: string) => Type.String({ format: 'date-time', maxLength: 40, description });

const inputTarget = inputObject('AlertTargetInput', 'The structure that an alert is about.', {
  type: Type.Enum(['farm', 'field', 'block', 'irrigationStation'], {
    description: 'The kind of the structure.',
  }),
  id: inputGuid("The ID of the structure, in the rule's organization."),
});

const inputAlert = inputObject('AlertInput', 'An alert to raise or to resolve.', {
  ruleId: inputGuid('The rule that the alert follows from.'),
  target: inputTarget,
  status: Type.Enum(['firing', 'resolved'], {
    description: '`firing` raises or updates the alert; `resolved` closes the open one.',
  }),
  severity: Type.Enum(['info', 'warning', 'critical'], { description: 'How urgent the alert is.' }),
  startsAt: time('When what the alert reports began: an ISO 8601 time with its offset.'),
  endsAt: Type.Optional(
    orNull(time('When it ended: an ISO 8601 time with its offset, not before `startsAt`.')),
  ),
  title: Type.String({
    maxLength: MAX_NAME,
    pattern: '\\S',
    description: 'One line that says what happened.',
  }),
  message: Type.String({
    maxLength: MAX_TEXT,
    description: 'What happened, and what the farmer can do.',
  }),
  value: Type.Optional(
    orNull(Type.Number({ description: 'The measured value, in the unit of the criterion.' })),
  ),
  labels: Type.Optional(
    Type.Unsafe<Readonly<Record<string, string>> | null>({
      type: ['object', 'null'],
      maxProperties: 32,
      propertyNames: { minLength: 1, maxLength: MAX_NAME },
      additionalProperties: { type: 'string', maxLength: MAX_NAME },
      description: 'Labels by name. Alerts of one rule and target with other labels are other alerts.',
    }),
  ),
});

type InputAlert = Static<typeof inputAlert>;

/** The body with a batch of alerts. */
export const raiseAlertsBody = inputObject('RaiseAlerts', 'A batch of alerts.', {
  alerts: Type.Array(inputAlert, {
    minItems: 1,
    maxItems: MAX_ALERTS,
    description: 'The alerts, each with another rule, target or labels.',
  }),
});

/** The answer to a batch. */
export const raisedAlerts = namedObject('RaisedAlerts', 'The outcomes of a batch of alerts, in its order.', {
  results: listOf(
    namedObject('AlertOutcome', 'What became of one alert of a batch.', {
      id: guid('The ID of the alert.'),
      fingerprint: sha256('The SHA-256 of rule, target and labels, in hexadecimal digits.'),
      outcome: oneOf(
        ['created', 'updated', 'resolved', 'unchanged'],
        'What the call did with the alert. `unchanged`: it repeats what is stored.',
      ),
    }),
    'The outcome of each alert, in the order of the batch.',
  ),
});

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

function timeOf(text: string): Date | null {
  const at = new Date(TIME.test(text) ? text : Number.NaN);
  return Number.isNaN(at.getTime()) ? null : at;
}

/**
 * Reads the times of a batch and computes the fingerprints.
 * @throws ProblemError 400 for invalid times, and for alerts that occur twice in the batch.
 */
export function readAlerts(input: readonly InputAlert[]): readonly RaisedAlert[] {
  const issues: BodyIssue[] = [];
  const firstIndex = new Map<string, number>();
  const alerts = input.map((each, index) => {
    const read = readAlert(each, index, issues);
    const fingerprint = read.fingerprint.toString('hex');
    const first = firstIndex.get(fingerprint);
    if (first === undefined) firstIndex.set(fingerprint, index);
    else
      issues.push({
        pointer: `/alerts/${index}`,
        detail: `The alert has the same rule, target and labels as alert ${first} of the batch. Send only one of them.`,
      });
    return read;
  });
  if (issues.length > 0) throw bodyProblem(issues);
  return alerts;
}

function readAlert(input: InputAlert, index: number, issues: BodyIssue[]): RaisedAlert {
  const startsAt = timeOf(input.startsAt);
  const endsAt = typeof input.endsAt === 'string' ? timeOf(input.endsAt) : null;
  const wrongTime = (member: string) => {
    const detail = 'The value must be an ISO 8601 time with its offset, such as 2027-11-20T09:30:00Z.';
    issues.push({ pointer: `/alerts/${index}/${member}`, detail });
  };
  if (startsAt === null) wrongTime('startsAt');
  if (endsAt === null && typeof input.endsAt === 'string') wrongTime('endsAt');
  if (startsAt !== null && endsAt !== null && endsAt < startsAt)
    issues.push({ pointer: `/alerts/${index}/endsAt`, detail: 'The end must not be before startsAt.' });
  const ruleId = input.ruleId.toLowerCase();
  const target = { type: input.target.type, id: input.target.id.toLowerCase() };
  const labels = sortedLabels(input.labels ?? {});
  return {
    ruleId,
    target,
    labels,
    fingerprint: alertFingerprint(ruleId, target, labels),
    status: input.status,
    severity: input.severity,
    startsAt: startsAt ?? new Date(0),
    endsAt,
    title: input.title,
    message: input.message,
    value: input.value ?? null,
  };
}

function sortedLabels(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
