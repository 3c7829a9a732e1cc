import { Type } from 'typebox';
import { countRejections, readImportHours } from '../../shared/db/statistics/import-hours.ts';
import { readModuleDays, readModuleFigures } from '../../shared/db/statistics/module-statistics.ts';
import { moduleKey } from '../auth/access.ts';
import { operator, vendorMember } from '../auth/endpoint-access.ts';
import { json, ok, timestamp } from '../http/answer.ts';
import { endpoint, tagged } from '../http/endpoint.ts';
import { dateTime, guid, integer, listOf, namedObject, orNull, text } from '../http/schema.ts';
import { found } from '../http/problem.ts';
import { NO_MODULE } from '../modules/vendor-module.ts';

const STANDARD_DAYS = 30;
const MAX_DAYS = 366;
const HOURS = 24;

const moduleStatistics = namedObject('ModuleStatistics', 'How a module is used.', {
  moduleId: guid('The ID of the module.'),
  activeKeys: integer('The number of its API keys that are neither revoked nor expired.'),
  installations: listOf(
    namedObject('RevisionInstallations', 'The installations that see a revision.', {
      revision: integer('The number of the revision.', 1),
      organizations: integer(
        'The number of organizations that have the module installed and see this revision.',
      ),
    }),
    'The installations by revision, the newest revision first.',
  ),
  days: listOf(
    namedObject('ModuleDay', 'The numbers of a module on one day.', {
      day: Type.String({ format: 'date', description: 'The day in UTC, as YYYY-MM-DD.' }),
      calls: integer('The number of calls with its API keys.'),
      alerts: integer('The number of alerts that it raised; repetitions of an open alert are not counted.'),
    }),
    'The numbers of each day, the oldest day first. The last one is the current day.',
  ),
});

const readModule = endpoint('get', '/api/v8.0/{orgId}/modules/{moduleId}/statistics', {
  id: 'readModuleStatistics',
  summary: 'Read the statistics of a module',
  description:
    'Calls are counted within 10 seconds, alerts within about a minute. The calls of the last 10 seconds are lost when ' +
    'a server crashes.',
  access: vendorMember,
  query: {
    days: Type.Integer({
      minimum: 1,
      maximum: MAX_DAYS,
      default: STANDARD_DAYS,
      description: 'The number of days, including the current one.',
    }),
  },
  answers: { 200: json('The statistics.', moduleStatistics) },
  async handle({ api, caller, path, query: { days = STANDARD_DAYS } }) {
    const { moduleId } = path;
    const figures = found(await readModuleFigures(api.database, moduleKey(caller, path)), NO_MODULE);
    return ok({ moduleId, ...figures, days: await readModuleDays(api.database, moduleId, days) });
  },
});

const importStatistics = namedObject('ImportStatistics', 'The imports of the last 24 hours.', {
  hours: listOf(
    namedObject('ImportHour', 'The imports of one hour.', {
      startsAt: dateTime('When the hour began.'),
      succeeded: integer('The number of imports that succeeded in it.'),
      rejected: integer('The number of imports that were rejected in it.'),
      failed: integer('The number of imports that failed in it because of an internal error.'),
      cancelled: integer('The number of imports that were cancelled in it.'),
      longestWaitSeconds: orNull(
        Type.Number({
          minimum: 0,
          description:
            'The longest time for which a queued import had been waiting, measured once a minute, in seconds; null if ' +
            'no worker measured it.',
        }),
      ),
    }),
    'The numbers of each hour, the oldest hour first. The last one is the current hour.',
  ),
  rejections: listOf(
    namedObject('RejectionCount', 'The number of imports that were rejected for a problem.', {
      code: text('The code of the problem.'),
      imports: integer('The number of imports that were rejected for it.'),
    }),
    'The problems of rejected imports, the most frequent first.',
  ),
});

const readImports = endpoint('get', '/api/v8.0/operations/statistics', {
  id: 'readImportStatistics',
  summary: 'Read the statistics of imports',
  description: 'For all organizations, counted once a minute.',
  access: operator,
  answers: { 200: json('The statistics.', importStatistics) },
  async handle({ api }) {
    const hours = await readImportHours(api.database, HOURS);
    return ok({
      hours: hours.map(({ startsAt, ended, longestWaitSeconds }) => ({
        ...{ succeeded: 0, rejected: 0, failed: 0, cancelled: 0, ...ended },
        startsAt: timestamp(startsAt),
        longestWaitSeconds,
      })),
      rejections: await countRejections(api.database, HOURS),
    });
  },
});

/** How modules and the service are used. */
export const STATISTICS_ENDPOINTS = [
  ...tagged('Operators', [readImports]),
  ...tagged('Modules', [readModule]),
];
