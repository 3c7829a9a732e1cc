import { test } from 'vitest';
import { expectConservation } from '../support/storage-actions.ts';

test.each([2, 3, 4, 5, 6, 7])(
  'the bytes that count for an organization are those in storage: sequence %i',
  (seed) => expectConservation(seed, 300),
  120_000,
);
