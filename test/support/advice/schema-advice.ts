import { DOCUMENT_TYPE_ID, ENGLISH_ID } from '../package-builder.ts';

const ID = '99999999-9999-4999-8999-999999999999';

/** The value that a vendor writes where a message only names a missing member. */
const MISSING: Readonly<Record<string, unknown>> = {
  translations: [{ languageId: ENGLISH_ID, moduleName: 'Irrigation advisor' }],
  ...{ languageId: ENGLISH_ID, moduleName: 'Irrigation advisor', file: 'ModuleToS/terms.pdf' },
  ...{ paymentCycleId: ID, currencyId: ID, price: 9.95, appEnvironmentId: ID, key: 'API_URL', value: 'x' },
  ...{ field: 'number', title: { en: 'Value' }, displayName: { en: 'Temperature' }, en: 'Value' },
  ...{ parts: {}, options: { more: { en: 'More' } }, baseRoles: [], permissions: {}, name: 'Agronomist' },
  ...{ intention: 'Advice', documentTypeId: DOCUMENT_TYPE_ID, schema: 1.1 },
  criterias: { temperature: { displayName: { en: 'Temperature' }, parts: {} } },
};

/** A value of each kind that a message names without an example. */
const KINDS: readonly (readonly [kind: string, value: unknown])[] = [
  ['an http or https URL', 'https://vendor.example/help'],
  ['an e-mail address', 'help@vendor.example'],
  ['text without NUL', 'text'],
  ['text that is not blank', 'text'],
  ['printable text', 'text'],
  ['a string', 'text'],
  ['a number', 1],
  ['an integer', 1],
  ['true or false', true],
  ['an array', []],
  ['an object', {}],
];

type Rule = readonly [RegExp, (found: RegExpExecArray, current: unknown) => unknown];

/** The sentences of schema issues, each with the value that following it gives. The first that fits counts. */
const RULES: readonly Rule[] = [
  [/ must be an ID: (?:use|did you mean) ([\da-f-]{36}),/, ([, id]) => id],
  [/ must be ("[^"]*")/, ([, value = '']) => JSON.parse(value) as unknown],
  [/ such as ("[^"]*")/, ([, value = '']) => JSON.parse(value) as unknown],
  [/ must be one of ([^,;]+)/, ([, first]) => first],
  [/ must not be (?:below|above) (-?[\d.e+]+)[;.]/, ([, limit]) => Number(limit)],
  [/ must be below (\d+)/, ([, limit]) => Number(limit) - 0.5],
  [
    / must have at most (\d+) characters?/,
    ([, limit], current) => Array.from(String(current)).slice(0, Number(limit)).join(''),
  ],
  [/ must have at most 15 significant digits/, (_, current) => Number(Number(current).toPrecision(15))],
  [/ must have at least 1 member/, () => MISSING['options']],
];

/** The value that a schema issue's message says to write. */
export function correctedValue(detail: string, pointer: string, current: unknown): unknown {
  const name = pointer.slice(pointer.lastIndexOf('/') + 1);
  if (/ is missing\.$/.test(detail) && name in MISSING) return MISSING[name];
  for (const [sentence, valueOf] of RULES) {
    const found = sentence.exec(detail);
    if (found !== null) return valueOf(found, current);
  }
  const kind = KINDS.find(([each]) => detail.includes(` must be ${each}`));
  if (kind === undefined) throw new Error(`the message does not say what to write: ${detail}`);
  return kind[1];
}
