import type { Catalogue } from '../../shared/catalogue/catalogue.ts';
import type { RevisionChanges, RevisionPart } from '../../shared/db/modules/changed-parts.ts';
import { dataAreasOf } from '../available-modules/catalogue-words.ts';
import { bodyProblem } from '../http/request/json-body.ts';
import { ProblemError, type ProblemExtras } from '../http/problem.ts';
import type { RequestProblemCode } from '../http/request-problem-codes.ts';
import { quarantined } from '../modules/missing-file.ts';
import type { InstallRefusal } from './install-module.ts';

/** The problem that says why a farmer cannot install a module. */
export function installRefusal(put: InstallRefusal, catalogue: Catalogue): ProblemError {
  switch (put.outcome) {
    case 'module-missing':
      return new ProblemError('not-found', "The organization's tenant offers no such module.");
    case 'quarantined':
      return quarantined(put.reason);
    case 'withdrawn':
      return new ProblemError('module-withdrawn', `The vendor has withdrawn the module: ${put.reason}`);
    case 'offer-changed':
      return offerChanged(put.revision, put.changes, catalogue);
    case 'dependency-missing':
      return listing(
        'installation-dependency-missing',
        'The module needs others that are not installed.',
        put.moduleIds.map((id) => `Install the module ${id} first.`),
      );
    case 'terms-changed':
      return listing(
        'installation-terms-changed',
        'The terms that apply are not those in acceptedTerms. Read them, and send the SHA-256 of each file in one language.',
        put.terms.map(({ path, sha256 }) => `The SHA-256 of ${path} is ${sha256}.`),
      );
    case 'not-declared':
      return bodyProblem(
        put.positions.map((index) => ({
          pointer: `/acceptedDataAreaIds/${index}`,
          detail: 'The module does not declare this data area.',
        })),
      );
  }
}

function listing(
  code: RequestProblemCode,
  detail: string,
  details: readonly string[],
  extras: ProblemExtras = {},
): ProblemError {
  const errors = details.map((each) => ({ code, detail: each, severity: 'error' as const }));
  return new ProblemError(code, detail, { errors, errorsTotal: errors.length, ...extras });
}

const AGAIN =
  'Nothing was changed. Read the offer again, and send its ETag with what the farmer accepts of it.';

function offerChanged(revision: number, changes: RevisionChanges | null, catalogue: Catalogue): ProblemError {
  const code = 'installation-offer-changed';
  if (changes === null) return new ProblemError(code, `If-Match is no ETag of this module's offer. ${AGAIN}`);
  const { sinceRevision } = changes;
  const detail =
    sinceRevision === revision
      ? `The offer of revision ${revision} is not the one that the farmer saw.`
      : `The farmer saw revision ${sinceRevision}; the offer is revision ${revision} now.`;
  return listing(code, `${detail} ${AGAIN}`, wordsOf(changes, catalogue), { changes });
}

const CHANGED: Readonly<Record<Exclude<RevisionPart, 'dataAreas'>, string>> = {
  texts: 'Its names or descriptions are others.',
  prices: 'Its prices are others.',
  entities: 'The data that it stores itself is other data.',
  dependencies: 'It needs other modules.',
  alertRules: 'Its alert rule definitions are others.',
  terms: 'Its terms are others.',
  privacy: 'Its privacy statement is another one.',
  images: 'Its images are others.',
};

function wordsOf(
  { parts, addedDataAreaIds, removedDataAreaIds }: RevisionChanges,
  catalogue: Catalogue,
): readonly string[] {
  const namesOf = (ids: readonly string[]) =>
    dataAreasOf(catalogue, ids)
      .map(({ id, name }) => name ?? id)
      .join(', ');
  const areas = [
    ...(addedDataAreaIds.length > 0 ? [`It requests in addition: ${namesOf(addedDataAreaIds)}.`] : []),
    ...(removedDataAreaIds.length > 0 ? [`It requests no longer: ${namesOf(removedDataAreaIds)}.`] : []),
  ];
  return parts.flatMap((part) => {
    if (part !== 'dataAreas') return [CHANGED[part]];
    return areas.length > 0 ? areas : ['It requests other data areas.'];
  });
}
