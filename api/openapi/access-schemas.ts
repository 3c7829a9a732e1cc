import { alertRuleChange, newAlertRule } from '../alert-rules/alert-rules-router.ts';
import { installationBody } from '../installations/installations-router.ts';
import { ref } from './operation.ts';
import type { Schema } from './operation.ts';
import { choice, count, flag, guid, listOf, moment, object, orNull, sha256, text } from './schema-parts.ts';

const alertRule = object('A rule that a farmer built from what a module offers.', {
  id: guid(),
  organizationId: guid('The farmer.'),
  moduleId: guid(),
  criteria: text('Identifier of a criterion of the definitions.'),
  values: {
    type: 'object',
    description: 'A value for each part of the criterion.',
    additionalProperties: { type: ['string', 'number', 'boolean'] },
  },
  name: orNull(text()),
  enabled: flag(),
  status: choice(['active', 'outdated'], '`outdated`: it no longer fits the definitions.'),
  outdatedReasons: listOf(text(), 'Why it no longer fits.'),
  definitionRevision: count('The revision of the module that it was judged by.', 1),
  createdAt: moment(),
  updatedAt: moment(),
});

const alert = object('What a module raised under a rule.', {
  id: guid(),
  organizationId: guid('The farmer.'),
  moduleId: guid(),
  ruleId: guid(),
  target: object('What it is about.', {
    type: choice(['farm', 'field', 'block', 'irrigationStation']),
    id: guid(),
  }),
  status: choice(['firing', 'resolved']),
  severity: choice(['info', 'warning', 'critical']),
  startsAt: moment(),
  endsAt: orNull(moment()),
  title: text(),
  message: text(),
  value: orNull({ type: 'number' }),
  labels: { type: 'object', additionalProperties: { type: 'string' } },
  fingerprint: sha256('Of rule, target and labels: of one there is one open alert.'),
  acknowledgedAt: orNull(moment()),
  acknowledgedBy: orNull(text('Subject of the token.')),
  createdAt: moment(),
  updatedAt: moment(),
});

const problemPage = object('What a code means.', {
  code: text(),
  kind: text('`error`, `warning`, or the status of the answer.'),
  title: text(),
  explanation: text(),
  remedy: text(),
});

const part = choice(['ok', 'unavailable']);

/** Schemas of keys, rules, alerts and of the service itself, by name. */
export const ACCESS_SCHEMAS: Readonly<Record<string, Schema>> = {
  Install: installationBody.schema,
  NewAlertRule: newAlertRule.schema,
  AlertRuleChange: alertRuleChange.schema,
  AlertRule: alertRule,
  Alert: alert,
  ProblemPage: problemPage,
  Worker: object('A process that runs imports.', {
    name: text(),
    ageSeconds: count(),
    idleSeconds: count(),
  }),
  Backlog: object('Imports that have not ended, of all organizations.', {
    queued: count(),
    running: count(),
    oldestWaitingSeconds: {
      type: 'number',
      minimum: 0,
      description: 'How long the one that has waited longest has been waiting; 0 when none waits.',
    },
  }),
  Alive: object('The process answers.', { status: { type: 'string', const: 'ok' } }),
  Readiness: object('Whether the service and its parts can serve.', {
    status: part,
    parts: object('By name.', { database: part, storage: part }),
  }),
  ProblemPages: object('All codes.', { items: listOf(ref('ProblemPage')) }),
  Workers: object('All workers.', { items: listOf(ref('Worker')) }),
};
