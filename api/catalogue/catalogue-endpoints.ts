import { Type, type TSchema } from 'typebox';
import { QUOTA_MEANINGS } from '../../shared/config/limit-config.ts';
import { mapMembers } from '../../shared/config/map-members.ts';
import { PACKAGE_FOLDERS } from '../../shared/package/layout/package-folders.ts';
import type { PackageLimits } from '../../shared/package/limits.ts';
import { anyone, anyToken } from '../auth/endpoint-access.ts';
import { json, ok, present } from '../http/answer.ts';
import { endpoint, tagged, wholeListEndpoint } from '../http/endpoint.ts';
import { page } from '../http/pagination.ts';
import { found } from '../http/problem.ts';
import { guid, integer, listOf, namedObject, oneOf, orNull, text } from '../http/schema.ts';

const packageLimits = {
  maxPackageBytes: integer('The largest package, in bytes.'),
  maxEntries: integer('The most entries of a package.'),
  maxEntryBytes: integer('The largest entry when it is unpacked, in bytes.'),
  maxUnpackedBytes: integer('The largest total size of all unpacked entries, in bytes.'),
  maxExpansionRatio: integer(
    "The largest ratio of an entry's unpacked to its compressed size, once `expansionGraceBytes` are unpacked.",
  ),
  expansionGraceBytes: integer('The unpacked size below which the ratio is not limited, in bytes.'),
  maxPathBytes: integer('The longest path of an entry, in bytes of UTF-8.'),
  maxPathDepth: integer('The most segments of the path of an entry.'),
  maxDescriptorBytes: integer('The largest `moduleSchema.json`, in bytes.'),
  maxRolesBytes: integer('The largest file with roles and entities, in bytes.'),
  maxAlertRulesBytes: integer('The largest file with alert rule definitions, in bytes.'),
  maxImageBytes: integer('The largest image or logo, in bytes.'),
  maxReportedProblems: integer('The most problems that a report lists; the rest are counted.'),
} satisfies Record<keyof PackageLimits, TSchema>;

const limits = namedObject('Limits', 'The limits in force.', {
  ...packageLimits,
  maxUploads: integer('The most uploads that one process receives at once.'),
  maxUploadsPerOrganization: integer(
    'The most uploads that one process receives at once from an organization.',
  ),
  maxImportsPerMinute: integer('The most imports that an organization can start in a minute.'),
  maxDownloads: integer('The most files that one process sends at once.'),
  maxDownloadsPerOrganization: integer('The most files that one process sends at once to an organization.'),
  maxExports: integer('The most exports that one process sends at once.'),
  maxExportsPerOrganization: integer('The most exports that one process sends at once to an organization.'),
  maxRequestsPerSecondPerOrganization: integer(
    'The requests with tokens per second that one process accepts from an organization. A request that another of ' +
      'its limits refuses counts as twenty requests, also one with an API key. Unused requests are kept for 10 ' +
      'seconds.',
  ),
  maxThreadMsPerSecondPerOrganization: integer(
    'The processor time that JSON bodies or package files of more than 16 KiB of an organization may take in each ' +
      'second of one process, in milliseconds. Unused time is kept for 30 seconds.',
  ),
  maxJsonBodyBytes: integer('The largest JSON body of a request, in bytes.'),
  minAnswerBytesPerSecond: integer(
    'The slowest reading of a long answer, in bytes per second; a slower client is disconnected.',
  ),
  answerPaceSeconds: integer('The time over which the pace is measured, in seconds.'),
  maxEventStreams: integer('The most event streams that one process keeps open.'),
  maxEventStreamsPerOrganization: integer(
    'The most event streams that one process keeps open for an organization.',
  ),
  maxEventStreamSeconds: integer(
    'The longest event stream, in seconds; then reconnect with `Last-Event-ID`.',
  ),
  ...mapMembers(QUOTA_MEANINGS, (meaning) => integer(meaning)),
  requiredFolders: listOf(
    oneOf(PACKAGE_FOLDERS, 'A folder of the package.'),
    'The folders that every package must have.',
  ),
  recommendedLanguageIds: listOf(
    guid('The ID of a language.'),
    'The languages beside English in which the platform recommends translations: a package without one gets a warning.',
  ),
});

const readLimits = endpoint('get', '/api/v8.0/limits', {
  id: 'readLimits',
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
      recommendedLanguageIds: [...api.catalogue.forPackages.recommendedLanguages.keys()],
    });
  },
});

const catalogueSet = namedObject('CatalogueSet', 'A set of the catalogue.', {
  key: text('The name of the set, as in its path.'),
  count: integer('The number of its entries.'),
});

const listSets = wholeListEndpoint('/api/v8.0/CommonData', {
  id: 'listCatalogueSets',
  summary: 'List catalogue sets',
  access: anyToken,
  page: page(catalogueSet, 'sets of the catalogue', { brief: 'sets' }),
  list: ({ api }) => [...api.catalogue.sets].map(([key, entries]) => ({ key, count: entries.length })),
});

const catalogueEntry = namedObject('CatalogueEntry', 'A value of the catalogue.', {
  id: guid('The ID that packages refer to.'),
  key: text('A name that is unique in the set, such as a language code.'),
  value: text('The English name.'),
  description: orNull(text('The meaning of the entry; null if its name is enough.')),
  parent: orNull(guid('The entry above it; null if there is none.')),
});

const readSet = endpoint('get', '/api/v8.0/CommonData/{set}', {
  id: 'readCatalogueSet',
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
    200: json(
      'The set.',
      namedObject('CatalogueEntries', 'A set of the catalogue.', {
        items: listOf(catalogueEntry, 'The entries of the set.'),
      }),
    ),
  },
  problems: ['not-found'],
  handle({ api, path }) {
    const entries = found(api.catalogue.sets.get(path.set), 'The catalogue has no such set.');
    // Recommended languages are among the limits.
    return ok({ items: entries.map((each) => present(catalogueEntry, each)) });
  },
});

/** The limits in force, and the catalogue: the values that packages refer to by ID. */
export const CATALOGUE_ENDPOINTS = tagged('Catalogue and limits', [readLimits, listSets, readSet]);
