import { expect, test } from 'vitest';
import { ROOT_NAMES } from '../../../shared/package/layout/layout.ts';
import { nearestName } from '../../../shared/package/text/nearest-name.ts';

test.each([
  ['ModuleImage', 'ModuleImage'],
  ['ModuleImages', 'ModuleImage'],
  ['moduletos', 'ModuleToS'],
  ['Module-Logo', 'ModuleLogo'],
  ['AlertRuleDefinition', 'AlertRuleDefinitionFile'],
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
  'README.md',
  '',
])('%j is taken for no part of a package', (name) => expect(nearestName(name, ROOT_NAMES)).toBeUndefined());
