import type { PackageCatalogue } from '../package-report.ts';
import { placeholderProblems } from '../placeholders.ts';
import { catalogueIdProblems, deploymentTypeProblems } from './catalogue-id-rules.ts';
import { exactNumberIssue } from '../text/exact-number.ts';
import { pathLabel, pointerTo } from '../text/json-pointer.ts';
import { nodeAt, problemAt, type LocatedText } from '../text/located-text.ts';
import type { Problem } from '../problem.ts';
import { quoteText } from '../text/quote-value.ts';
import { isMembers, rootItems } from '../schema/read-members.ts';
import { isGuid } from '../schema/schema-parts.ts';

/** Finds what no schema can say of a descriptor. */
type DescriptorRule = (text: LocatedText, catalogue: PackageCatalogue) => readonly Problem[];

/** Every rule of the descriptor's own members; a new one is added here. */
export const DESCRIPTOR_RULES: readonly DescriptorRule[] = [
  translationProblems,
  recommendedTranslationProblems,
  setProblems,
  environmentProblems,
  priceProblems,
  numberProblems,
  documentTypeProblems,
  dataAreaReasonProblems,
  duplicateReasonProblems,
  catalogueIdProblems,
  deploymentTypeProblems,
  placeholderProblems,
];

const EMPTY_GUID = /^[0-]+$/;

const SETS = [
  'paymentOptionIds',
  'cropIds',
  'environmentIds',
  'requirementIds',
  'dataAreaIds',
  'dependencies',
];

/** Whether a value is a non-empty ID; the schema rejects others. */
function isId(value: unknown): value is string {
  return isGuid(value) && !EMPTY_GUID.test(value);
}

/** One translation per language, English among them. */
function translationProblems(text: LocatedText, catalogue: PackageCatalogue): Problem[] {
  const seen = new Set<string>();
  const translations = rootItems(text, 'translations', isMembers);
  const problems = translations.flatMap(({ pointer, item: { languageId } }) => {
    const id = isId(languageId) ? languageId.toLowerCase() : null;
    if (id === null || !isRepeated(seen, id)) return [];
    const detail = `The language ${id} has two translations; only one is allowed.`;
    return [problemAt(text, 'descriptor-translation-duplicate', pointerTo(pointer, 'languageId'), detail)];
  });
  if (nodeAt(text, '/translations')?.items && !seen.has(catalogue.englishId)) {
    const detail = `No translation has the languageId of English, ${catalogue.englishId}.`;
    problems.push(problemAt(text, 'descriptor-english-missing', '/translations', detail));
  }
  return problems;
}

/** Translations that the platform recommends; one warning names all that are missing. */
function recommendedTranslationProblems(
  text: LocatedText,
  { recommendedLanguages }: PackageCatalogue,
): Problem[] {
  const items = rootItems(text, 'translations', isMembers);
  const present = new Set(items.map(({ item: { languageId } }) => String(languageId).toLowerCase()));
  const missing = [...recommendedLanguages].filter(([id]) => !present.has(id));
  if (missing.length === 0 || nodeAt(text, '/translations')?.items === undefined) return [];
  const named = missing.map(([id, name]) => `${name} (${id})`).join(', ');
  const detail = `The platform recommends translations that the package does not have: ${named}. Add a translation with each languageId.`;
  return [problemAt(text, 'descriptor-translation-recommended', '/translations', detail)];
}

/** Sets contain each ID once. */
function setProblems(text: LocatedText): Problem[] {
  return SETS.flatMap((name) => {
    const seen = new Set<string>();
    return rootItems(text, name, isId).flatMap(({ pointer, item }) => {
      const id = item.toLowerCase();
      if (!isRepeated(seen, id)) return [];
      const detail = `${name} contains ${id} more than once; the duplicate is ignored.`;
      return [problemAt(text, 'descriptor-value-repeated', pointer, detail)];
    });
  });
}

/** Whether a value was seen before; from now on it was. */
function isRepeated(seen: Set<string>, value: string): boolean {
  return seen.size === seen.add(value).size;
}

/** Keys are unique within an environment. */
function environmentProblems(text: LocatedText): Problem[] {
  const seen = new Set<string>();
  return rootItems(text, 'environmentVariables', isMembers).flatMap(({ pointer, item }) => {
    const { appEnvironmentId, key } = item;
    if (!isId(appEnvironmentId) || typeof key !== 'string') return [];
    const environment = appEnvironmentId.toLowerCase();
    if (!isRepeated(seen, `${environment} ${key}`)) return [];
    const detail = `The key ${quoteText(key)} is duplicated in the environment ${environment}.`;
    return [problemAt(text, 'descriptor-invalid', pointerTo(pointer, 'key'), detail)];
  });
}

/** A cycle, currency and region have one price. */
function priceProblems(text: LocatedText): Problem[] {
  const seen = new Set<string>();
  return rootItems(text, 'subscriptionOptions', isMembers).flatMap(({ pointer, item }) => {
    const { paymentCycleId, currencyId, regionId } = item;
    if (!isId(paymentCycleId) || !isId(currencyId)) return [];
    const region = isId(regionId) ? regionId : 'everywhere';
    if (!isRepeated(seen, `${paymentCycleId} ${currencyId} ${region}`.toLowerCase())) return [];
    const detail = `${pathLabel(pointer)} has the cycle, currency and region of an option before it.`;
    return [problemAt(text, 'descriptor-price-ambiguous', pointer, detail)];
  });
}

/** Document types are usually those of the catalogue, by ID or key; any other text is kept as it is. */
function documentTypeProblems(text: LocatedText, { documentTypes }: PackageCatalogue): Problem[] {
  return rootItems(text, 'moduleFiles', isMembers).flatMap(({ pointer, item: { documentTypeId } }) => {
    if (typeof documentTypeId !== 'string') return [];
    if (documentTypes.has(documentTypeId) || documentTypes.has(documentTypeId.toLowerCase())) return [];
    const detail = `The document type ${quoteText(documentTypeId)} is not in the catalogue; it is kept as it is.`;
    return [
      problemAt(text, 'descriptor-document-type-unknown', pointerTo(pointer, 'documentTypeId'), detail),
    ];
  });
}

/** Reasons are for data areas that the package requests: no others are shown. */
function dataAreaReasonProblems(text: LocatedText, { sets }: PackageCatalogue): Problem[] {
  const requested = new Set(rootItems(text, 'dataAreaIds', isId).map(({ item }) => item.toLowerCase()));
  return rootItems(text, 'translations', isMembers).flatMap(({ pointer, item: { dataAreaReasons } }) => {
    if (!isMembers(dataAreaReasons)) return [];
    const others = Object.keys(dataAreaReasons).filter((id) => !requested.has(id.toLowerCase()));
    return others.map((name) => {
      const [meant] = [...(sets.get('dataAreas') ?? [])].find(([, { key }]) => key === name) ?? [];
      const hint = meant === undefined ? '' : ` Use ${meant}, the ID of ${name}.`;
      const detail = `dataAreaIds does not have ${quoteText(name)}, so farmers never see this reason.${hint}`;
      const at = pointerTo(`${pointer}/dataAreaReasons`, name);
      return problemAt(text, 'descriptor-reason-unused', at, detail, 'key');
    });
  });
}

/** A data area has one reason in a translation: IDs in another letter case are the same key. */
function duplicateReasonProblems(text: LocatedText): Problem[] {
  return rootItems(text, 'translations', isMembers).flatMap(({ pointer, item: { dataAreaReasons } }) => {
    if (!isMembers(dataAreaReasons)) return [];
    const seen = new Set<string>();
    const repeated = Object.keys(dataAreaReasons).filter((id) => isRepeated(seen, id.toLowerCase()));
    return repeated.map((name) => {
      const detail = `dataAreaReasons has the key ${quoteText(name)} in another letter case too. Remove one of the two.`;
      const at = pointerTo(`${pointer}/dataAreaReasons`, name);
      return problemAt(text, 'descriptor-duplicate-key', at, detail, 'key');
    });
  });
}

/** Numbers have at most 15 significant digits, counted in the text, since parsing has rounded them. */
function numberProblems(text: LocatedText): Problem[] {
  const options = rootItems(text, 'subscriptionOptions', isMembers);
  const pointers = options.flatMap(({ pointer }) => [`${pointer}/trialLength`, `${pointer}/price`]);
  return ['/moduleVersion', '/deploymentType', ...pointers].flatMap((pointer) => {
    const issue = exactNumberIssue(nodeAt(text, pointer)?.numberText ?? '0');
    if (issue === null) return [];
    return problemAt(text, 'descriptor-invalid', pointer, `${pathLabel(pointer)} must ${issue}.`);
  });
}
