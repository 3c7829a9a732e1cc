import type { PackageLimits } from '../limits.ts';

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

/** The folders that contain only files: all but `PackageArtifact`. */
export type FlatFolder = Exclude<PackageFolder, 'PackageArtifact'>;

/** What a file of a package is. */
export type FileKind =
  'descriptor' | 'artifact' | 'terms' | 'privacy' | 'alertRules' | 'image' | 'logo' | 'roles';

/** What the files of a folder are and are called, and how many there may be. */
interface FlatFolderRule {
  readonly kind: FileKind;
  /** The name of a file, without the folder. */
  readonly fileName: RegExp;
  /** What the names are, in words. */
  readonly expected: string;
  readonly exactlyOne: boolean;
}

const DOCUMENTS = {
  fileName: /^.+\.[^.]+$/,
  expected: 'a name and an extension, such as terms.pdf',
  exactlyOne: false,
};
const IMAGES = { fileName: /^/, expected: 'any name', exactlyOne: false };

/** The rules of the folders that contain only files. */
export const FLAT_FOLDER_RULES: Readonly<Record<FlatFolder, FlatFolderRule>> = {
  ModuleToS: { kind: 'terms', ...DOCUMENTS },
  ModulePrivacy: { kind: 'privacy', ...DOCUMENTS },
  ModuleImage: { kind: 'image', ...IMAGES },
  ModuleLogo: { kind: 'logo', ...IMAGES },
  AlertRuleDefinitionFile: {
    kind: 'alertRules',
    fileName: /^.+\.yaml$/,
    expected: 'the extension .yaml',
    exactlyOne: true,
  },
  ModuleSpecificRolesEntitiesDefinition: {
    kind: 'roles',
    fileName: /^.+\.json$/,
    expected: 'the extension .json',
    exactlyOne: true,
  },
};

const LIMIT_OF_KIND: Partial<Record<FileKind, keyof PackageLimits>> = {
  descriptor: 'maxDescriptorBytes',
  alertRules: 'maxAlertRulesBytes',
  roles: 'maxRolesBytes',
  image: 'maxImageBytes',
  logo: 'maxImageBytes',
};

/** The most bytes that a file of the kind may have; null where only the archive's own limit applies. */
export function maxBytesOf(kind: FileKind, limits: PackageLimits): number | null {
  const limit = LIMIT_OF_KIND[kind];
  return limit === undefined ? null : limits[limit];
}
