import { bodySchema } from '../http/json-body.ts';
import type { BodyFault } from '../http/json-body.ts';
import type { RaisedAlert } from '../../shared/db/alerts/raise-alerts.ts';
import { alertFingerprint } from '../../shared/db/alerts/alert-fingerprint.ts';
import type { AlertTargetType } from '../../shared/db/alerts/alert-fingerprint.ts';
import { GUID_PATTERN } from '../../shared/package/schema/schema-parts.ts';

const MAX_ALERTS = 1_000;

const MAX_NAME = 200;
const MAX_TEXT = 20_000;
const guid = { type: 'string', pattern: GUID_PATTERN };
const time = { type: 'string', maxLength: 40 };

interface WrittenAlert {
  readonly ruleId: string;
  readonly target: { readonly type: AlertTargetType; readonly id: string };
  readonly status: 'firing' | 'resolved';
  readonly severity: 'info' | 'warning' | 'critical';
  readonly startsAt: string;
  readonly endsAt?: string | null;
  readonly title: string;
  readonly message: string;
  readonly value?: number | null;
  readonly labels?: Readonly<Record<string, string>> | null;
}

const alert = {
  type: 'object',
  required: ['ruleId', 'target', 'status', 'severity', 'startsAt', 'title', 'message'],
  additionalProperties: false,
  properties: {
    ruleId: guid,
    target: {
      type: 'object',
      required: ['type', 'id'],
      additionalProperties: false,
      properties: { type: { enum: ['farm', 'field', 'block', 'irrigationStation'] }, id: guid },
    },
    status: { enum: ['firing', 'resolved'] },
    severity: { enum: ['info', 'warning', 'critical'] },
    startsAt: time,
    endsAt: { ...time, type: ['string', 'null'] },
    title: { type: 'string', maxLength: MAX_NAME, pattern: '\\S' },
    message: { type: 'string', maxLength: MAX_TEXT },
    value: { type: ['number', 'null'] },
    labels: {
      type: ['object', 'null'],
      maxProperties: 32,
      propertyNames: { minLength: 1, maxLength: MAX_NAME },
      additionalProperties: { type: 'string', maxLength: MAX_NAME },
    },
  },
};

/** The shape of a batch of alerts. */
export const alertsBody = bodySchema<{ readonly alerts: readonly WrittenAlert[] }>({
  type: 'object',
  required: ['alerts'],
  additionalProperties: false,
  properties: { alerts: { type: 'array', minItems: 1, maxItems: MAX_ALERTS, items: alert } },
});

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

function timeOf(text: string): Date | null {
  const at = new Date(TIME.test(text) ? text : Number.NaN);
  return Number.isNaN(at.getTime()) ? null : at;
}

/** A batch as it is written, and what is wrong with it apart from its shape and the database. */
export interface ReadAlerts {
  readonly alerts: readonly RaisedAlert[];
  readonly faults: readonly BodyFault[];
}

/** Reads the times of a batch, computes fingerprints, and finds those that stand in it twice. */
export function readAlerts(written: readonly WrittenAlert[]): ReadAlerts {
  const faults: BodyFault[] = [];
  const firstPlace = new Map<string, number>();
  const alerts = written.map((each, index) => {
    const read = readAlert(each, index, faults);
    const fingerprint = read.fingerprint.toString('hex');
    const first = firstPlace.get(fingerprint);
    if (first === undefined) firstPlace.set(fingerprint, index);
    else
      faults.push({
        pointer: `/alerts/${index}`,
        detail: `The alert has the rule, target and labels of alert ${first} of the batch. Send one of them.`,
      });
    return read;
  });
  return { alerts, faults };
}

function readAlert(written: WrittenAlert, index: number, faults: BodyFault[]): RaisedAlert {
  const startsAt = timeOf(written.startsAt);
  const endsAt = typeof written.endsAt === 'string' ? timeOf(written.endsAt) : null;
  const wrongTime = (member: string) => {
    const detail = 'The value must be an ISO 8601 time with its offset, such as 2027-11-20T09:30:00Z.';
    faults.push({ pointer: `/alerts/${index}/${member}`, detail });
  };
  if (startsAt === null) wrongTime('startsAt');
  if (endsAt === null && typeof written.endsAt === 'string') wrongTime('endsAt');
  if (startsAt !== null && endsAt !== null && endsAt < startsAt)
    faults.push({ pointer: `/alerts/${index}/endsAt`, detail: 'The end must not lie before startsAt.' });
  const ruleId = written.ruleId.toLowerCase();
  const target = { type: written.target.type, id: written.target.id.toLowerCase() };
  const labels = sortedLabels(written.labels ?? {});
  return {
    ruleId,
    target,
    labels,
    fingerprint: alertFingerprint(ruleId, target, labels),
    status: written.status,
    severity: written.severity,
    startsAt: startsAt ?? new Date(0),
    endsAt,
    title: written.title,
    message: written.message,
    value: written.value ?? null,
  };
}

function sortedLabels(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
