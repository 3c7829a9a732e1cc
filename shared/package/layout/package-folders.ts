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

/** The name of one of them. */
export type PackageFolder = (typeof PACKAGE_FOLDERS)[number];
