import { expect, test } from 'vitest';
import { ROOT_NAMES } from '../../../shared/package/layout/layout.ts';
import { nearNameHint } from '../../../shared/package/text/near-name.ts';
import { editsBetween, nearestName } from '../../../shared/package/text/nearest-name.ts';

test.each([
  ['ModuleImage', 'ModuleImage'],
  ['ModuleImages', 'ModuleImage'],
  ['moduletos', 'ModuleToS'],
  ['Module-Logo', 'ModuleLogo'],
  ['AlertRuleDefinition', 'AlertRuleDefinitionFile'],
  // Nine characters are enough of a beginning.
  ['AlertRule', 'AlertRuleDefinitionFile'],
  ['ModuleToSFiles', 'ModuleToS'],
  ['ModuleLogoFiles', 'ModuleLogo'],
  ['PackageArtefact', 'PackageArtifact'],
  ['module-schema.json', 'moduleSchema.json'],
])('%s is taken for %s', (name, meant) => expect(nearestName(name, ROOT_NAMES)).toBe(meant));

test.each([
  'modules',
  'module',
  'package.json',
  'package-lock.json',
  'images',
  'schema.json',
  'AlertRul',
  'ModuleToS2',
  'ModuleLogo.png',
  'PackageArtifact.zip',
  'README.md',
  '',
])('%j is taken for no part of a package', (name) => expect(nearestName(name, ROOT_NAMES)).toBeUndefined());

test.each([
  ['crops', 'crops', 0],
  ['', 'crops', 5],
  ['crop', 'crops', 1],
  ['rops', 'crops', 1],
  ['xcrops', 'crops', 1],
  ['crips', 'crops', 1],
  ['corps', 'crops', 1],
  ['rcops', 'crops', 1],
  ['crosp', 'crops', 1],
  ['rcosp', 'crops', 2],
  ['corsp', 'crops', 2],
  ['kitten', 'sitting', 3],
  ['field', 'crops', 5],
  // A pair of characters that is swapped is not changed again.
  ['ca', 'abc', 3],
])('from %j to %j it takes %i edits, in either direction', (one, other, edits) =>
  expect([editsBetween(one, other), editsBetween(other, one)]).toEqual([edits, edits]),
);

const PROPERTIES_OF_DATA = ['name', 'entityType', 'intention', 'internalOnly', 'environmentKey'];

test.each([
  ['intension', 'intention'],
  ['ntention', 'intention'],
  ['xntention', 'intention'],
  ['internalOnlyFlag', 'internalOnly'],
  ['isInternalOnly', 'internalOnly'],
  ['environmentVariableKey', 'environmentKey'],
  // Six of ten characters are equal, which is just enough.
  ['nam_en', 'name'],
])('of the properties of data, %s is taken for %s', (name, meant) =>
  expect(nearNameHint(name, PROPERTIES_OF_DATA)).toBe(` Did you mean "${meant}"?`),
);

test.each([
  // Six of eleven characters are equal.
  'nam_eng',
  // Its last letter is like that of "name", but the beginning already counts it.
  'nameeeeeee',
])('%s is taken for no property of data', (name) => expect(nearNameHint(name, PROPERTIES_OF_DATA)).toBe(''));
