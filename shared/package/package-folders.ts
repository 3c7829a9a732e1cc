/** The folders that a package may have in its root. */
export const PACKAGE_FOLDERS = [
  'PackageArtifact',
  'ModuleToS',
  'ModulePrivacy',
  'AlertRuleDefinitionFile',
  'ModuleImage',
  'ModuleLogo',
  'ModuleSpecificRolesEntitiesDefinition',
] as const;

export type PackageFolder = (typeof PACKAGE_FOLDERS)[number];
