import { DEFAULT_PACKAGE_LIMITS } from '../../shared/package/limits.ts';
import { PACKAGE_FOLDERS } from '../../shared/package/layout/package-folders.ts';
import { alertsBody } from '../machine-access/alerts-body.ts';
import { alertRuleChange, newAlertRule } from '../alert-rules/alert-rules-router.ts';
import { registerBody, rotateBody } from '../api-keys/api-clients-router.ts';
import { installationBody } from '../installations/installations-router.ts';
import { organizationBody } from '../organizations/organizations-router.ts';
import { ref } from './operation.ts';
import type { Schema } from './operation.ts';
import { choice, count, flag, guid, listOf, moment, object, orNull, sha256, text } from './schema-parts.ts';

const secret: Schema = {
  type: 'string',
  pattern: '^mmk_[0-9A-Za-z]{49}$',
  description: 'The API key. It is never shown again.',
};

const newKey = object('An API client with its key.', {
  moduleId: guid(),
  clientSecret: secret,
  clientName: text('`ApiKey_` and a GUID unless the body named it.'),
  parentId: guid('The vendor organization.'),
  clientId: guid('Stays when the key is rotated.'),
  expiresOn: moment(),
  id: guid('Of this key.'),
});

const key = object('An API key, without its secret.', {
  id: guid(),
  clientId: guid(),
  clientName: text(),
  moduleId: guid(),
  parentId: guid('The vendor organization.'),
  secretStart: text('The first 12 characters, to tell keys apart.'),
  createdAt: moment(),
  expiresOn: moment(),
  revokedOn: orNull(moment()),
  lastUsedOn: orNull(moment('Noted every few seconds.')),
});

const auditEntry = object('What somebody did in an organization.', {
  id: guid(),
  at: moment(),
  actor: text('Subject of the token.'),
  action: choice([
    'apiClient.registered',
    'apiClient.rotated',
    'apiClient.revoked',
    'module.deleted',
    'module.exported',
  ]),
  moduleId: orNull(guid()),
  clientId: orNull(guid()),
  traceId: text('Of the request.'),
});

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

const raised = object('What became of a batch of alerts, in its order.', {
  results: listOf(
    object('One alert.', {
      id: guid(),
      fingerprint: sha256(),
      outcome: choice(['created', 'updated', 'resolved', 'unchanged']),
    }),
  ),
});

const organization = object('A vendor or a farmer.', {
  id: guid(),
  tenantId: guid(),
  kind: choice(['vendor', 'farmer']),
  name: text(),
  createdAt: moment(),
  updatedAt: moment(),
});

const LIMIT_NAMES = [
  ...Object.keys(DEFAULT_PACKAGE_LIMITS),
  'maxUploads',
  'maxUploadsPerOrganization',
  'maxImportsPerMinute',
  'maxJsonBodyBytes',
];

const catalogueEntry = object('A value of the catalogue.', {
  id: guid(),
  key: text(),
  value: text('Its English name.'),
  description: orNull(text()),
  parent: orNull(guid('The entry that it belongs under.')),
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
  RegisterApiClient: registerBody.schema,
  RotateApiClient: rotateBody.schema,
  NewApiKey: newKey,
  ApiKey: key,
  AuditEntry: auditEntry,
  Install: installationBody.schema,
  NewAlertRule: newAlertRule.schema,
  AlertRuleChange: alertRuleChange.schema,
  AlertRule: alertRule,
  RaiseAlerts: alertsBody.schema,
  RaisedAlerts: raised,
  Alert: alert,
  WriteOrganization: organizationBody.schema,
  Organization: organization,
  Limits: object('Every limit in force.', {
    ...Object.fromEntries(LIMIT_NAMES.map((name) => [name, count()])),
    requiredFolders: listOf(choice(PACKAGE_FOLDERS), 'Folders that every package must have.'),
  }),
  CatalogueSet: object('A set of the catalogue.', { key: text(), count: count() }),
  CatalogueEntry: catalogueEntry,
  ProblemPage: problemPage,
  Alive: object('The process answers.', { status: { type: 'string', const: 'ok' } }),
  Readiness: object('Whether the service and its parts can serve.', {
    status: part,
    parts: object('By name.', { database: part, storage: part }),
  }),
  CatalogueSets: object('All sets.', { items: listOf(ref('CatalogueSet')) }),
  CatalogueEntries: object('A set.', { items: listOf(ref('CatalogueEntry')) }),
  ProblemPages: object('All codes.', { items: listOf(ref('ProblemPage')) }),
};
