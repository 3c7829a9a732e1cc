import { test } from 'vitest';
import { expectConservation } from '../support/storage-actions.ts';

test.each([2, 3, 4])(
  'the bytes that count for an organization are those in storage: sequence %i',
  (seed) => expectConservation(seed, 150),
  120_000,
);
