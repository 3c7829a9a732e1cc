import { test } from 'vitest';
import { expectConservation } from '../support/storage-actions.ts';

test('the bytes that count for an organization are those in storage, whatever is done to its imports and modules', () =>
  expectConservation(1, 60));
