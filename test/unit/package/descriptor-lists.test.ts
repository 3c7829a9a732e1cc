import { describe, expect, test } from 'vitest';
import { EMPTY_ID, jsonText, OTHER_ID } from '../../support/package-builder.ts';
import {
  ID,
  validateText,
  validate,
  problemsOf,
  locations,
  problemsOfText,
  translated,
} from './validated-descriptor.ts';

describe('subscription options', () => {
  const option = (members: object = {}) => ({
    subscriptionOptions: [{ paymentCycleId: ID, currencyId: ID, price: 0, ...members }],
  });

  test('have a payment cycle, a currency and a price', () => {
    expect(problemsOf({ subscriptionOptions: [{}] })).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :10:5 /subscriptionOptions/0/paymentCycleId | subscriptionOptions[0].paymentCycleId is missing.",
        "✗ descriptor-invalid :10:5 /subscriptionOptions/0/currencyId | subscriptionOptions[0].currencyId is missing.",
        "✗ descriptor-invalid :10:5 /subscriptionOptions/0/price | subscriptionOptions[0].price is missing.",
      ]
    `);
    expect(problemsOf(option({ paymentCycleId: EMPTY_ID, currencyId: null, price: null })))
      .toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :11:25 /subscriptionOptions/0/paymentCycleId | subscriptionOptions[0].paymentCycleId must be a GUID such as "3f2504e0-4f89-41d3-9a0c-0305e82c3301", and not the empty one; it is "00000000-0000-0000-0000-000000000000".",
        "✗ descriptor-invalid :12:21 /subscriptionOptions/0/currencyId | subscriptionOptions[0].currencyId must be a string; it is null.",
        "✗ descriptor-invalid :13:16 /subscriptionOptions/0/price | subscriptionOptions[0].price must be a number; it is null.",
      ]
    `);
  });

  test('may omit region and trial, and keep their order', () => {
    const { descriptor } = validate({
      subscriptionOptions: [
        {
          paymentCycleId: OTHER_ID.toUpperCase(),
          currencyId: OTHER_ID.toUpperCase(),
          price: 2.5,
          trialLength: 3,
          regionId: OTHER_ID.toUpperCase(),
        },
        { paymentCycleId: ID, currencyId: ID, price: 1, regionId: EMPTY_ID },
      ],
    });
    expect(descriptor?.subscriptionOptions).toEqual([
      { paymentCycleId: OTHER_ID, currencyId: OTHER_ID, regionId: OTHER_ID, trialLength: 3, price: 2.5 },
      { paymentCycleId: ID, currencyId: ID, regionId: null, trialLength: null, price: 1 },
    ]);
  });

  test('of the same cycle, currency and region are a warning', () => {
    const items = [{}, { regionId: OTHER_ID }, { regionId: EMPTY_ID }, { currencyId: OTHER_ID }];
    const {
      subscriptionOptions: [first],
    } = option();
    expect(problemsOf({ subscriptionOptions: items.map((item) => ({ ...first, ...item })) }))
      .toMatchInlineSnapshot(`
      [
        "! descriptor-price-ambiguous :21:5 /subscriptionOptions/2 | subscriptionOptions[2] has the cycle, currency and region of an option before it.",
      ]
    `);
  });

  test('without a valid cycle or currency have that issue alone', () => {
    for (const wrong of [{ paymentCycleId: EMPTY_ID }, { currencyId: 'x' }]) {
      const { subscriptionOptions: items } = option(wrong);
      const [member = ''] = Object.keys(wrong);
      expect(locations({ subscriptionOptions: [...items, ...items] })).toEqual([
        expect.stringMatching(`^✗ descriptor-invalid .*/0/${member}$`),
        expect.stringMatching(`^✗ descriptor-invalid .*/1/${member}$`),
      ]);
    }
  });

  test('have no price or trial below 0, and the trial is an integer of 32 bits', () => {
    expect(problemsOf(option({ trialLength: 0 }))).toEqual([]);
    expect(problemsOf(option({ trialLength: 2 ** 31 - 1 }))).toEqual([]);
    expect(problemsOf(option({ trialLength: -1, price: -0.01 }))).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :14:22 /subscriptionOptions/0/trialLength | subscriptionOptions[0].trialLength must not be below 0; it is -1.",
        "✗ descriptor-invalid :13:16 /subscriptionOptions/0/price | subscriptionOptions[0].price must not be below 0; it is -0.01.",
      ]
    `);
    expect(locations(option({ trialLength: 2 ** 31 }))).toHaveLength(1);
    expect(locations(option({ trialLength: 1.5 }))).toHaveLength(1);
  });

  test('have a price of at most 15 significant digits, reported once', () => {
    expect(problemsOf(option({ price: 123456789.012345 }))).toEqual([]);
    expect(locations(option({ price: 1234567890.123456 }))).toEqual([
      '✗ descriptor-invalid :13:16 /subscriptionOptions/0/price',
    ]);
    expect(locations(option({ price: -1234567890.123456 }))).toHaveLength(1);
    expect(validate(option({ price: 19.99 })).descriptor?.subscriptionOptions[0]?.price).toBe(19.99);
  });

  test('treat -0 as 0', () => {
    const text = jsonText({
      schema: '1.0',
      ...translated(),
      deploymentType: 7,
      ...option({ trialLength: 8, price: 9 }),
    });
    const { descriptor } = validateText(text.replace(' 7', ' -0').replace(' 8', ' -0').replace(' 9', ' -0'));
    expect([
      descriptor?.deploymentType,
      descriptor?.subscriptionOptions[0]?.trialLength,
      descriptor?.subscriptionOptions[0]?.price,
    ]).toEqual([0, 0, 0]);
  });
});

describe('environment variables', () => {
  const variables = (...items: readonly unknown[]) => ({ environmentVariables: items });

  test('have environment, key and value', () => {
    expect(problemsOf(variables({}))).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :10:5 /environmentVariables/0/appEnvironmentId | environmentVariables[0].appEnvironmentId is missing.",
        "✗ descriptor-invalid :10:5 /environmentVariables/0/key | environmentVariables[0].key is missing.",
        "✗ descriptor-invalid :10:5 /environmentVariables/0/value | environmentVariables[0].value is missing.",
      ]
    `);
    expect(problemsOf(variables({ appEnvironmentId: EMPTY_ID, key: ' ', value: '' }))).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :11:27 /environmentVariables/0/appEnvironmentId | environmentVariables[0].appEnvironmentId must be a GUID such as "3f2504e0-4f89-41d3-9a0c-0305e82c3301", and not the empty one.",
        "✗ descriptor-invalid :12:14 /environmentVariables/0/key | environmentVariables[0].key must be text that is not blank, without NUL characters and lone surrogates.",
      ]
    `);
  });

  test('have keys of at most 200 characters and values of at most 20,000', () => {
    const lengths = (key: number, value: number) =>
      locations(variables({ appEnvironmentId: ID, key: 'k'.repeat(key), value: 'v'.repeat(value) }));
    expect(lengths(200, 20_000)).toEqual([]);
    expect(lengths(201, 20_001).map((each) => each.split(' ').at(-1))).toEqual([
      '/environmentVariables/0/key',
      '/environmentVariables/0/value',
    ]);
  });

  test('have no key twice in one environment', () => {
    const same = { appEnvironmentId: ID, key: 'A', value: '1' };
    expect(
      problemsOf(variables(same, { ...same, key: 'a' }, { ...same, appEnvironmentId: OTHER_ID })),
    ).toEqual([]);
    expect(problemsOf(variables(same, { ...same, appEnvironmentId: ID.toUpperCase(), value: '2' })))
      .toMatchInlineSnapshot(`
        [
          "✗ descriptor-invalid :17:14 /environmentVariables/1/key | The key "A" is duplicated in the environment 99999999-9999-4999-8999-999999999999.",
        ]
      `);
  });

  test('without a valid environment or key have that issue alone', () => {
    const twice = (item: object) => locations(variables(item, item)).map((each) => each.split(' ').at(-1));
    for (const [key, issue] of [
      [5, 'must be a string.'],
      [undefined, 'is missing.'],
    ]) {
      const item = { appEnvironmentId: ID, key, value: '' };
      expect(problemsOf(variables(item, item))).toEqual([
        expect.stringContaining(`environmentVariables[0].key ${issue}`),
        expect.stringContaining(`environmentVariables[1].key ${issue}`),
      ]);
    }
    for (const wrong of ['x', 5, EMPTY_ID]) {
      expect(twice({ appEnvironmentId: wrong, key: 'A', value: '' })).toEqual([
        '/environmentVariables/0/appEnvironmentId',
        '/environmentVariables/1/appEnvironmentId',
      ]);
    }
    const same = { appEnvironmentId: OTHER_ID.toUpperCase(), key: 'A', value: '' };
    expect(problemsOf(variables(same, same))[0]).toContain(`in the environment ${OTHER_ID}.`);
  });

  test('never appear in problems with their values, not even where the type is wrong', () => {
    const secret = 'hunter2';
    const wrong = [
      variables({ appEnvironmentId: ID, key: 'A', value: `${secret}\0` }),
      variables({ appEnvironmentId: secret, key: 5, value: [secret] }),
      variables(`A=${secret}`),
      { environmentVariables: secret },
      { environmentVariables: { A: secret } },
    ];
    for (const members of wrong) {
      expect(problemsOf(members).length).toBeGreaterThan(0);
      expect(problemsOf(members).join()).not.toContain(secret);
    }
    expect(problemsOfText('{"environmentVariables": [{"value": truehunter2}]}').join()).not.toContain(secret);
    expect(problemsOf(variables({ appEnvironmentId: ID, key: 'A', value: 5 }))).toMatchInlineSnapshot(`
      [
        "✗ descriptor-invalid :13:16 /environmentVariables/0/value | environmentVariables[0].value must be a string.",
      ]
    `);
  });

  test('are returned by environment and key', () => {
    const variable = (appEnvironmentId: string, key: string) => ({ appEnvironmentId, key, value: '' });
    const { descriptor } = validate(
      variables(variable(OTHER_ID.toUpperCase(), 'A'), variable(ID, 'b'), variable(ID, 'B')),
    );
    expect(descriptor?.environmentVariables).toEqual([
      variable(ID, 'B'),
      variable(ID, 'b'),
      variable(OTHER_ID, 'A'),
    ]);
  });
});
