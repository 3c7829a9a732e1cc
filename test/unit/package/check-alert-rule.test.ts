import { expect, test } from 'vitest';
import type { AlertPart, AlertRules } from '../../../shared/package/alert-rules/alert-rules.ts';
import { validateAlertRule } from '../../../shared/package/alert-rules/validate-alert-rule.ts';

function part(field: AlertPart['field'], members: Partial<AlertPart> = {}): AlertPart {
  return { field, title: { en: field }, options: null, min: null, max: null, unit: null, ...members };
}

function rules(parts: Record<string, AlertPart>, criteria = 'soil'): AlertRules {
  const criterion = { displayName: { en: 'Soil' }, description: null, expectedIntervalHours: null, parts };
  return { schema: 1.1, expectedIntervalHours: null, criterias: Object.fromEntries([[criteria, criterion]]) };
}

/** The details of all issues with one value for one part. */
function issuesWith(definition: AlertPart, value: unknown): readonly string[] {
  return validateAlertRule(rules({ x: definition }), 'soil', { x: value }).map(({ detail }) => detail);
}

const pointers = (definition: AlertRules | null, criteria: string, values: Record<string, unknown>) =>
  validateAlertRule(definition, criteria, values).map(({ pointer }) => pointer);

test('a rule with the right type of value for every part is valid', () => {
  const definition = rules({
    operator: part('select', { options: { gt: { en: 'over' } } }),
    value: part('number', { min: -50, max: 60 }),
    note: part('text'),
    night: part('boolean'),
    since: part('date'),
  });
  const values = { operator: 'gt', value: 60, note: '', night: false, since: '2028-02-29' };
  expect(validateAlertRule(definition, 'soil', values)).toEqual([]);
});

test('a criterion without parts is valid without values', () =>
  expect(validateAlertRule(rules({}), 'soil', {})).toEqual([]));

test('a module without a definition, and unknown criteria, are issues of the criteria alone', () => {
  expect(validateAlertRule(null, 'soil', { x: 1 })).toEqual([
    { pointer: '/criteria', detail: 'The module offers no alert rules.' },
  ]);
  expect(validateAlertRule(rules({}), 'air', { x: 1 })).toEqual([
    { pointer: '/criteria', detail: 'The module offers no criteria "air".' },
  ]);
});

test('names that every object inherits are neither criteria, nor parts, nor options', () => {
  const definition = rules({ toString: part('select', { options: { gt: { en: 'over' } } }) });
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
    expect(pointers(definition, name, {})).toEqual(['/criteria']);
  expect(pointers(definition, 'soil', {})).toEqual(['/values/toString']);
  expect(pointers(definition, 'soil', { toString: 'constructor' })).toEqual(['/values/toString']);
  const strange = JSON.parse('{ "toString": "gt", "__proto__": 1, "constructor": 2 }') as Record<
    string,
    unknown
  >;
  expect(pointers(definition, 'soil', strange)).toEqual(['/values/__proto__', '/values/constructor']);
});

test('a definition may use such names itself', () => {
  const definition = rules({ constructor: part('boolean') }, 'constructor');
  expect(validateAlertRule(definition, 'constructor', { constructor: true })).toEqual([]);
});

test('every missing part and every unknown part is reported, with its pointer', () =>
  expect(validateAlertRule(rules({ 'a/b': part('text'), c: part('text') }), 'soil', { 'd~e': 1 })).toEqual([
    { pointer: '/values/a~1b', detail: 'The part "a/b" is missing.' },
    { pointer: '/values/c', detail: 'The part "c" is missing.' },
    { pointer: '/values/d~0e', detail: 'The criteria has no part "d~e".' },
  ]));

test('a select accepts the key of an option, not its text', () => {
  const select = part('select', { options: { gt: { en: 'over' }, 1: { en: 'one' } } });
  expect(issuesWith(select, 'gt')).toEqual([]);
  for (const value of ['over', 'GT', '', 1, null, true, ['gt'], '__proto__'])
    expect(issuesWith(select, value)).toEqual(['The part "x" must be the key of one of its options.']);
});

test('a number is within its bounds, which are inclusive', () => {
  const number = part('number', { min: -1, max: 1 });
  for (const value of [-1, 0, 0.5, 1]) expect(issuesWith(number, value)).toEqual([]);
  expect(issuesWith(number, -1.01)).toEqual(['The part "x" must not be below -1.']);
  expect(issuesWith(number, 1.01)).toEqual(['The part "x" must not be above 1.']);
});

test('a number without bounds may be any that is finite and exact', () => {
  for (const value of [0, -1e300, 123456789012345]) expect(issuesWith(part('number'), value)).toEqual([]);
  for (const value of [Number.NaN, Infinity, -Infinity, '1', null, true])
    expect(issuesWith(part('number'), value)).toEqual(['The part "x" must be a number.']);
  expect(issuesWith(part('number'), 0.1 + 0.2)).toEqual([
    'The part "x" must have at most 15 significant digits.',
  ]);
});

test('a text has at most 20,000 characters, and an emoji is one', () => {
  for (const value of ['x'.repeat(20_000), '🌱'.repeat(20_000)])
    expect(issuesWith(part('text'), value)).toEqual([]);
  for (const value of ['x'.repeat(20_001), '🌱'.repeat(20_001), 'x'.repeat(50_000)])
    expect(issuesWith(part('text'), value)).toEqual(['The part "x" must have at most 20000 characters.']);
});

test('a text is well-formed and contains no NUL', () => {
  for (const value of ['a\0b', '\ud800', 'a\udc00'])
    expect(issuesWith(part('text'), value)).toEqual([
      'The part "x" must not contain a NUL or a lone surrogate.',
    ]);
  for (const value of [1, null, {}])
    expect(issuesWith(part('text'), value)).toEqual(['The part "x" must be a text.']);
});

test('a boolean is true or false, not a string', () => {
  expect(issuesWith(part('boolean'), true)).toEqual([]);
  for (const value of ['true', 0, 1, null])
    expect(issuesWith(part('boolean'), value)).toEqual(['The part "x" must be true or false.']);
});

test('a date is a calendar date in the form YYYY-MM-DD', () => {
  for (const value of ['2027-01-31', '2028-02-29', '2000-02-29', '9999-12-31'])
    expect(issuesWith(part('date'), value)).toEqual([]);
  const wrong = ['2027-02-29', '1900-02-29', '2027-04-31', '2027-13-01', '2027-00-10', '2027-01-00'];
  const unlike = ['2027-1-1', '27-01-01', '2027-01-01T00:00:00Z', '2027-01-01\n', '', 20270101, null];
  // JavaScript's own Date reads these, too.
  const others = ['2027', '2027-01', '+012027-01-01', '-000001-01-01', ['2027-01-01']];
  for (const value of [...wrong, '2027-01-32', ...unlike, ...others])
    expect(issuesWith(part('date'), value)).toEqual([
      'The part "x" must be a calendar date in the form YYYY-MM-DD.',
    ]);
});
