import { Type } from 'typebox';
import type { TSchema } from 'typebox';
import { PACKAGE_FOLDERS } from '../../shared/package/layout/package-folders.ts';
import type { PackageLimits } from '../../shared/package/limits.ts';
import { anyone, anyToken } from '../auth/endpoint-access.ts';
import { json, ok } from '../http/answer.ts';
import { endpoint } from '../http/endpoint.ts';
import { ProblemError } from '../http/problem.ts';
import { guid, integer, listOf, namedObject, oneOf, orNull, text } from '../http/schema.ts';

const tag = 'Catalogue and limits';

const packageLimits = {
  maxPackageBytes: integer(),
  maxEntries: integer(),
  maxEntryBytes: integer(),
  maxUnpackedBytes: integer(),
  maxExpansionRatio: integer(),
  expansionGraceBytes: integer(),
  maxPathBytes: integer(),
  maxPathDepth: integer(),
  maxDescriptorBytes: integer(),
  maxRolesBytes: integer(),
  maxAlertRulesBytes: integer(),
  maxImageBytes: integer(),
  maxReportedProblems: integer(),
} satisfies Record<keyof PackageLimits, TSchema>;

const limits = namedObject('Limits', 'The limits in force.', {
  ...packageLimits,
  maxUploads: integer(),
  maxUploadsPerOrganization: integer(),
  maxImportsPerMinute: integer(),
  maxDownloads: integer(),
  maxDownloadsPerOrganization: integer(),
  maxExports: integer(),
  maxExportsPerOrganization: integer(),
  maxJsonBodyBytes: integer(),
  minAnswerBytesPerSecond: integer('A client that reads a long answer more slowly is disconnected.'),
  answerPaceSeconds: integer('The seconds over which that is measured.'),
  maxEventStreams: integer(),
  maxEventStreamsPerOrganization: integer(),
  maxEventStreamSeconds: integer('After this an event stream ends; reconnect with `Last-Event-ID`.'),
  maxModulesPerOrganization: integer(),
  maxRevisionsPerModule: integer('The oldest beyond so many are deleted.'),
  maxStructuresPerOrganization: integer(),
  maxAlertRulesPerOrganization: integer(),
  maxInstallationsPerOrganization: integer(),
  maxApiKeysPerModule: integer('Including revoked and expired keys that are still listed.'),
  maxOpenAlertsPerInstallation: integer('Of one module in one organization.'),
  requiredFolders: listOf(oneOf(PACKAGE_FOLDERS), 'Folders that every package must have.'),
});

const readLimits = endpoint({
  id: 'readLimits',
  method: 'get',
  path: '/api/v8.0/limits',
  tag,
  summary: 'Read the limits',
  // A vendor needs the limits before it has a token.
  access: anyone,
  answers: { 200: json('The limits in force.', limits) },
  handle({ api }) {
    const { limits, imports, server, sharing, streams, quotas } = api.config;
    return ok({
      ...limits,
      maxUploads: imports.maxUploads,
      maxUploadsPerOrganization: imports.maxUploadsPerOrganization,
      maxImportsPerMinute: imports.maxImportsPerMinute,
      ...sharing,
      maxJsonBodyBytes: server.maxJsonBodyBytes,
      minAnswerBytesPerSecond: streams.minAnswerBytesPerSecond,
      answerPaceSeconds: streams.answerPaceSeconds,
      maxEventStreams: streams.maxEventStreams,
      maxEventStreamsPerOrganization: streams.maxEventStreamsPerOrganization,
      maxEventStreamSeconds: streams.maxEventStreamSeconds,
      ...quotas,
      requiredFolders: imports.requiredFolders,
    });
  },
});

const catalogueSet = namedObject('CatalogueSet', 'A set of the catalogue.', {
  key: text(),
  count: integer(),
});

const listSets = endpoint({
  id: 'listCatalogueSets',
  method: 'get',
  path: '/api/v8.0/CommonData',
  tag,
  summary: 'List catalogue sets',
  access: anyToken,
  answers: {
    200: json('The sets.', namedObject('CatalogueSets', 'All sets.', { items: listOf(catalogueSet) })),
  },
  handle({ api }) {
    return ok({ items: [...api.catalogue.sets].map(([key, entries]) => ({ key, count: entries.length })) });
  },
});

const catalogueEntry = namedObject('CatalogueEntry', 'A value of the catalogue.', {
  id: guid(),
  key: text(),
  value: text('The English name.'),
  description: orNull(text()),
  parent: orNull(guid('The parent entry.')),
});

const readSet = endpoint({
  id: 'readCatalogueSet',
  method: 'get',
  path: '/api/v8.0/CommonData/{set}',
  tag,
  summary: 'Read a catalogue set',
  access: anyToken,
  parameters: {
    set: Type.String({
      pattern: '^[A-Za-z][A-Za-z0-9]*$',
      description: 'Key of a set of the catalogue.',
      example: 'languages',
    }),
  },
  answers: {
    200: json('The set.', namedObject('CatalogueEntries', 'A set.', { items: listOf(catalogueEntry) })),
  },
  problems: ['not-found'],
  handle({ api, path }) {
    const items = api.catalogue.sets.get(path.set);
    if (items === undefined) throw new ProblemError('not-found', 'The catalogue has no such set.');
    return ok({ items });
  },
});

/** The limits in force, and the catalogue: the values that packages refer to by ID. */
export const CATALOGUE_ENDPOINTS = [readLimits, listSets, readSet];
