import { Type } from 'typebox';
import type { ImportRow } from '../../shared/db/imports/models.ts';
import { dateTime, integer, namedObject, oneOf, orNull, text } from '../http/schema.ts';
import { timestamp } from '../http/answer.ts';
import { importAnswer, packageImport } from '../imports/import.ts';

/** The steps at which an attempt can fail; `queued`: before it read the package. */
export const STEPS = ['queued', 'reading', 'checking', 'writing'] as const;

const failedAttempts = namedObject(
  'FailedAttempts',
  'The failed attempts of an import since it was queued.',
  {
    step: oneOf(STEPS, 'What the last one was doing.'),
    cause: text('The error of the last one with its causes, without secrets.'),
    attempts: integer('How many attempts failed.', 1),
    firstAt: dateTime('When the first one failed.'),
    lastAt: dateTime('When the last one failed.'),
  },
);

/** An import as operators see it. */
export const operatorImport = namedObject('OperatorImport', 'An import, with what operators see of it.', {
  ...packageImport.properties,
  failure: orNull(failedAttempts, 'The failed attempts since it was queued; null: none failed.'),
  dismissedAt: orNull(dateTime('When an operator dismissed the failed import; null: it was not dismissed.')),
  canRetry: Type.Boolean({ description: 'Whether the import failed and its upload is still stored.' }),
});

/** The operators' view of a row. Its module is also the one that only the package or the token names. */
export function importForOperators(row: ImportRow) {
  const { failure } = row;
  return {
    ...importAnswer(row),
    moduleId: row.moduleId ?? row.namedModuleId ?? row.onlyModuleId,
    failure: failure && {
      ...failure,
      firstAt: timestamp(new Date(failure.firstAt)),
      lastAt: timestamp(new Date(failure.lastAt)),
    },
    canRetry: row.status === 'failed' && row.archiveKey !== null,
  };
}
