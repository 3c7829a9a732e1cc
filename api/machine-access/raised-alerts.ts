import { Type, type Static, type TSchema } from 'typebox';
import type { RaisedAlert } from '../../shared/db/alerts/raise-alerts.ts';
import { alertFingerprint } from '../../shared/db/alerts/alert-fingerprint.ts';
import { bodyIssues, jsonBodyOfItems, type BodyItem } from '../http/request/json-body.ts';
import { issue } from '../http/problem-schema.ts';
import { REQUEST_PROBLEMS } from '../http/request-problem-codes.ts';
import type { BodyIssue } from '../http/request/validate-body.ts';
import {
  guid,
  inputGuid,
  inputObject,
  integer,
  listOf,
  namedObject,
  oneOf,
  orNull,
  sha256,
  text,
  TIME,
} from '../http/schema.ts';

const MAX_ALERTS = 1_000;
/**
 * Forecasts reach a season ahead, and a date in the next year is most often the wrong year: such an alert would stay at
 * the top of the farmer's list until then.
 */
const MAX_DAYS_AHEAD = 366;
const MS_PER_DAY = 86_400_000;

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
  startsAt: time(
    `When the reported condition began: an ISO 8601 time with its offset, at most ${MAX_DAYS_AHEAD} days ahead.`,
  ),
  endsAt: Type.Optional(
    orNull(time('When it ended: an ISO 8601 time with its offset, not before `startsAt`.')),
  ),
  title: Type.String({
    maxLength: MAX_NAME,
    pattern: '\\S',
    description: 'The condition, in one line.',
  }),
  message: Type.String({
    maxLength: MAX_TEXT,
    description: 'The condition, and advice to the farmer.',
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

const batchOf = <Item extends TSchema>(item: Item) =>
  inputObject('RaiseAlerts', 'A batch of alerts.', {
    alerts: Type.Array(item, {
      minItems: 1,
      maxItems: MAX_ALERTS,
      description: 'The alerts, each with another rule, target or labels.',
    }),
  });

/** The body with a batch of alerts, each checked by itself. */
export const raiseAlertsBody = jsonBodyOfItems('The alerts.', batchOf(inputAlert), {
  name: 'alerts',
  itemSchema: inputAlert,
  anyItems: batchOf(Type.Unknown()),
});

const alertProblem = namedObject('AlertProblem', 'Why one alert of a batch was not stored.', {
  type: text('Address of the page that explains the code.'),
  code: text('Identifies the problem: the last segment of `type`.'),
  title: text('A short summary of the code.'),
  status: integer('The status that the alert alone would have got.', 400),
  detail: text('The cause and the remedy.'),
  errors: listOf(
    issue,
    'The issues of the alert, with pointers into the body; none of one beyond the quota.',
  ),
});

/** The answer to a batch. */
export const raisedAlerts = namedObject('RaisedAlerts', 'The outcomes of a batch of alerts, in its order.', {
  results: listOf(
    namedObject('AlertOutcome', 'The result of one alert of a batch: an outcome or a problem.', {
      index: Type.Optional(integer('For a partial batch: the index of the alert; the first is 0.')),
      id: Type.Optional(guid('The ID of the alert.')),
      fingerprint: Type.Optional(sha256('The SHA-256 of rule, target and labels, in hexadecimal digits.')),
      outcome: Type.Optional(
        oneOf(
          ['created', 'updated', 'resolved', 'unchanged'],
          'The effect of the call. `unchanged`: the alert was already stored like this.',
        ),
      ),
      problem: Type.Optional(alertProblem),
    }),
    'An item for each alert, in the order of the batch.',
  ),
});

/** An alert of a batch that can be raised, and its place in the batch. */
export interface ReadAlert extends RaisedAlert {
  readonly index: number;
}

/** An issue of one alert of a batch. */
export interface AlertBodyIssue extends BodyIssue {
  readonly index: number;
  /** Whether the alert is valid, but one more than the quota allows: then it has no other issue. */
  readonly isBeyondQuota?: boolean;
}

/** The items of the answer for alerts that were not taken, by their issues. */
export function problemItems(issues: readonly AlertBodyIssue[]) {
  const byIndex = new Map<number, BodyIssue[]>();
  for (const { index, isBeyondQuota, ...each } of issues)
    byIndex.set(index, isBeyondQuota === true ? [] : [...(byIndex.get(index) ?? []), each]);
  return [...byIndex].map(([index, own]) => {
    const code = own.length === 0 ? 'quota-exceeded' : 'request-invalid';
    const { status, title } = REQUEST_PROBLEMS[code];
    const detail = own.length === 0 ? NO_ROOM : own.map((each) => each.detail).join(' ');
    const type = `/problems/${code}`;
    return { index, problem: { type, code, title, status, detail, errors: bodyIssues(own) } };
  });
}

const NO_ROOM = 'The organization has the maximum of open alerts of the module. Resolve others first.';
const WRONG_TIME =
  'The value must be an ISO 8601 time with its offset, in the years 0001 to 9999 of UTC, such as 2027-11-20T09:30:00Z.';
const TOO_FAR_AHEAD = `The time must not be more than ${MAX_DAYS_AHEAD} days in the future.`;

function timeOf(text: string): Date | null {
  const at = new Date(TIME.test(text) ? text : Number.NaN);
  const year = at.getUTCFullYear();
  // Others, which an offset makes too, JavaScript writes as PostgreSQL does not read them.
  return year >= 1 && year <= 9_999 ? at : null;
}

/** Reads the times of a batch and computes the fingerprints: the alerts that have no issue, and the issues of the others. */
export function readAlerts(items: readonly BodyItem<InputAlert>[]): {
  readonly alerts: readonly ReadAlert[];
  readonly issues: readonly AlertBodyIssue[];
} {
  const now = Date.now();
  const firstIndex = new Map<string, number>();
  const alerts: ReadAlert[] = [];
  const issues: AlertBodyIssue[] = [];
  for (const [index, item] of items.entries()) {
    const read = 'value' in item ? readAlert(item.value, index, now) : item;
    if ('issues' in read) {
      issues.push(...read.issues.map((each) => ({ ...each, index })));
      continue;
    }
    const fingerprint = read.fingerprint.toString('hex');
    const first = firstIndex.get(fingerprint);
    firstIndex.set(fingerprint, first ?? index);
    if (first === undefined) alerts.push({ ...read, index });
    else issues.push({ index, pointer: `/alerts/${index}`, detail: repeatedDetail(first) });
  }
  return { alerts, issues };
}

const repeatedDetail = (first: number) =>
  `The alert has the same rule, target and labels as alert ${first} of the batch. Send only one of them.`;

function readAlert(
  input: InputAlert,
  index: number,
  now: number,
): RaisedAlert | { readonly issues: readonly BodyIssue[] } {
  const startsAt = timeOf(input.startsAt);
  const endsAt = typeof input.endsAt === 'string' ? timeOf(input.endsAt) : null;
  const issues: BodyIssue[] = [];
  const report = (member: string, detail: string) =>
    issues.push({ pointer: `/alerts/${index}/${member}`, detail });
  if (startsAt === null) report('startsAt', WRONG_TIME);
  else if (startsAt.getTime() > now + MAX_DAYS_AHEAD * MS_PER_DAY) report('startsAt', TOO_FAR_AHEAD);
  if (endsAt === null && typeof input.endsAt === 'string') report('endsAt', WRONG_TIME);
  if (startsAt !== null && endsAt !== null && endsAt < startsAt)
    report('endsAt', 'The end must not be before startsAt.');
  if (startsAt === null || issues.length > 0) return { issues };
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
    startsAt,
    endsAt,
    title: input.title,
    message: input.message,
    value: input.value ?? null,
  };
}

function sortedLabels(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
