import { expect, test } from 'vitest';
import { PROTOCOL_ERRORS } from './protocol-errors.ts';
import { simulate } from './simulate.ts';

const SEEDS_FOR_AN_ERROR = 10_000;

test.each(PROTOCOL_ERRORS)('the simulation notices that $name', async (protocolError) => {
  let seed = protocolError.firstSeed;
  while (seed < SEEDS_FOR_AN_ERROR && (await simulate(seed, { protocolError })).broken === null) seed += 1;
  expect(seed, 'seeds without a broken guarantee').toBeLessThan(SEEDS_FOR_AN_ERROR);
});

test('a seed replays: the same events at the same times', async () => {
  const [protocolError] = PROTOCOL_ERRORS;
  const options = { withTrace: true, ...(protocolError !== undefined && { protocolError }) };
  for (let seed = 0; seed < 40; seed += 1) {
    const first = await simulate(seed, options);
    const second = await simulate(seed, options);
    expect(second.trace).toEqual(first.trace);
    expect(first.trace.length).toBeGreaterThan(3);
  }
});
