import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { purgeTarget } from '../../../worker/maintenance/purge.ts';

const id = randomUUID();

test.each([
  ['a module', { module: id.toUpperCase(), yes: true }, { kind: 'module', id }],
  ['an organization', { organization: id, yes: true }, { kind: 'organization', id }],
  ['nothing to purge', { yes: true }, null],
  ['no confirmation', { module: id }, null],
  ['an organization besides', { module: id, organization: randomUUID(), yes: true }, null],
  ['a name in place of an ID', { organization: 'Vera', yes: true }, null],
])('npm run purge with %s', (_what, values, target) => {
  expect(purgeTarget(values)).toEqual(target);
});
