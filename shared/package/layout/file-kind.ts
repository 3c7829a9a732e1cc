import type { PackageLimits } from '../limits.ts';
import type { PackageFolder } from './package-folders.ts';

/** What a file of a package is, by its folder. */
export type FileKind =
  'descriptor' | 'artifact' | 'terms' | 'privacy' | 'alertRules' | 'image' | 'logo' | 'roles';

/** The kind of the files in a folder. */
export const KIND_OF_FOLDER: Readonly<Record<PackageFolder, FileKind>> = {
  PackageArtifact: 'artifact',
  ModuleToS: 'terms',
  ModulePrivacy: 'privacy',
  AlertRuleDefinitionFile: 'alertRules',
  ModuleImage: 'image',
  ModuleLogo: 'logo',
  ModuleSpecificRolesEntitiesDefinition: 'roles',
};

/** The most bytes that a file of the kind may have; null where only the archive's own limit applies. */
export function maxBytesOf(kind: FileKind, limits: PackageLimits): number | null {
  switch (kind) {
    case 'descriptor':
      return limits.maxDescriptorBytes;
    case 'alertRules':
      return limits.maxAlertRulesBytes;
    case 'roles':
      return limits.maxRolesBytes;
    case 'image':
    case 'logo':
      return limits.maxImageBytes;
    case 'artifact':
    case 'terms':
    case 'privacy':
      return null;
  }
}
