/** The explanation of a problem code: the text of its page at `/problems/<code>`. */
export interface ProblemMeaning {
  /** A few words, the same for every problem of the code. */
  readonly title: string;
  /** The meaning, and the reason for the rejection. */
  readonly explanation: string;
  /** The remedy for the vendor. */
  readonly remedy: string;
  readonly severity: 'error' | 'warning';
}

function error(title: string, explanation: string, remedy: string): ProblemMeaning {
  return { title, explanation, remedy, severity: 'error' };
}

function warning(title: string, explanation: string, remedy: string): ProblemMeaning {
  return { title, explanation, remedy, severity: 'warning' };
}

/** Every problem that a package can have, by code. */
export const PACKAGE_PROBLEMS = {
  'archive-unreadable': error(
    'The file is not a readable ZIP archive',
    'The end record or the central directory is missing, cut off, or points outside the file.',
    'Build the ZIP again and check that the upload was complete.',
  ),
  'archive-ambiguous': error(
    'The archive can be read in two ways',
    'Two readers could see different files in it: it has bytes outside every entry, more than one end record, or counts that disagree. Such archives can hide content from validation.',
    'Build the ZIP again with an ordinary tool, from a folder, in one go.',
  ),
  'archive-encrypted': error(
    'An entry is encrypted',
    'Packages are validated and served, so their content must be readable.',
    'Build the ZIP without a password.',
  ),
  'archive-compression-unsupported': error(
    'An entry uses an unsupported compression method',
    'Only the methods stored (0) and deflate (8) are supported.',
    'Build the ZIP with deflate, the default of nearly every tool.',
  ),
  'archive-entry-name-unsafe': error(
    'An entry has an unsafe name',
    'The name leaves the archive, cannot be stored on every system, or looks like another name.',
    'Rename the file: relative path, `/` between segments, no control or invisible characters, no reserved names.',
  ),
  'archive-entry-name-conflict': error(
    'Two entries have names that some systems treat as the same',
    'The names are equal, or differ only in case or Unicode form, or one is a file where the other is a folder.',
    'Rename or remove one of them.',
  ),
  'archive-entry-kind-forbidden': error(
    'An entry is neither a file nor a folder',
    'Symbolic links, devices, pipes and sockets are not part of a package.',
    'Replace the link by the file that it points to.',
  ),
  'archive-entry-headers-disagree': error(
    'An entry is described in two ways',
    'Its local header, its data descriptor or its extra fields contradict the central directory.',
    'Build the ZIP again with an ordinary tool.',
  ),
  'archive-entry-corrupt': error(
    'An entry cannot be unpacked',
    'Its compressed data is damaged, has another length than declared, or does not match its CRC-32.',
    'Build the ZIP again and check that the upload was complete.',
  ),
  'archive-entries-overlap': error(
    'Two entries share bytes',
    'Overlapping entries unpack to far more than the archive contains, and are only created on purpose.',
    'Build the ZIP again with an ordinary tool.',
  ),
  'archive-too-many-entries': error(
    'The archive has too many entries',
    'The number of entries is over the limit.',
    'Bundle the build into fewer files. The limits are at /api/v8.0/limits.',
  ),
  'archive-entry-too-large': error(
    'An entry is too large',
    'The unpacked entry is over the limit.',
    'Make the file smaller or split it. The limits are at /api/v8.0/limits.',
  ),
  'archive-expands-too-far': error(
    'The archive unpacks to too much',
    'The unpacked size, or its ratio to the packed size, is over the limit.',
    'Leave out what the module does not need. The limits are at /api/v8.0/limits.',
  ),

  'layout-descriptor-missing': error(
    'moduleSchema.json is missing',
    'Every package has its descriptor in the root of the archive, with exactly this name.',
    'Add moduleSchema.json to the root of the ZIP.',
  ),
  'layout-wrapped-in-folder': error(
    'The package is wrapped in a folder',
    'The root of the archive contains only a folder, which contains the package.',
    "Zip the folder's contents, not the folder.",
  ),
  'layout-entry-unexpected': error(
    'An entry does not belong in a package',
    'It is outside the folders that a package may have.',
    'Remove it, or move it to the folder where it belongs.',
  ),
  'layout-artifact-folder': error(
    'The artifact folder is wrong',
    'PackageArtifact/ must contain exactly one folder, named build, with at least one file in it.',
    'Put the built module into PackageArtifact/build/.',
  ),
  'layout-file-count': error(
    'A folder has the wrong number of files',
    'AlertRuleDefinitionFile/ and ModuleSpecificRolesEntitiesDefinition/ must contain exactly one file each.',
    'Keep one file in the folder, or remove the folder.',
  ),
  'layout-file-type': error(
    'A file is of the wrong type',
    'The folder accepts only certain types. The type of an image or logo is detected from its content, not from its name.',
    'Replace the file with one of a type that the folder accepts.',
  ),
  'layout-file-too-large': error(
    'A file is too large for its folder',
    'The file is over the limit for its kind.',
    'Make the file smaller. The limits are at /api/v8.0/limits.',
  ),
  'layout-folder-nested': error(
    'A folder has sub-folders where none are allowed',
    'Only PackageArtifact/build/ may have folders in it.',
    'Move the file up into the folder itself.',
  ),
  'layout-folder-missing': error(
    'A required folder is missing',
    'This deployment requires the folder in every package.',
    'Add the folder with its content.',
  ),
  'layout-file-undeclared': error(
    'An image or logo is not named by the descriptor',
    'Each file in ModuleImage/ and ModuleLogo/ must be named by an item of moduleFiles.',
    'Name the file in moduleFiles, or remove it.',
  ),
  'layout-file-secret': error(
    'The build contains a secret',
    'Everybody can read the files of the build. Private keys and the history of a repository are not part of an application.',
    'Remove it from the build. A key that was ever published must be replaced.',
  ),
  'layout-file-suspicious': warning(
    'The build contains a file that may be private',
    'Everybody can read the files of the build, and files of this name often contain passwords or tokens.',
    'Remove it from the build, unless it is meant for the public.',
  ),
  'layout-litter-skipped': warning(
    'A file of the operating system was skipped',
    'Files such as .DS_Store and Thumbs.db, and those named ._*, are not part of the module and are not stored.',
    'No action is needed; leaving them out keeps the package small.',
  ),
  'layout-part-missing': warning(
    'The package lacks a folder',
    'A package may have this folder, and this one does not.',
    'Add the folder with its content, or leave it out if the module does not need it.',
  ),
  'layout-part-removed': warning(
    'The update removes a part that the module had',
    'The module had files in this folder, the package has none: the import removes them.',
    'If that was not intended, add the folder and import again.',
  ),
  'layout-file-unreferenced': warning(
    'A terms or privacy file is not named by the descriptor',
    'It is stored, but no item of moduleFiles says what it is and for whom.',
    'Name the file in moduleFiles, or remove it.',
  ),
  'layout-file-content': warning(
    'A file is not what its name says',
    'The content is of another type than the extension of the name, so applications cannot open or show it.',
    'Give the file the extension of its type, or replace its content.',
  ),
  'layout-placeholder': warning(
    'A placeholder of a new module was not replaced',
    'modulectl init writes texts, addresses and documents that the author of the module replaces. Farmers must not get them, so a revision with one is staged and cannot be released.',
    'Replace it by your own, and import the package again.',
  ),
  'layout-active-content': warning(
    'A terms or privacy file has active content',
    'It contains scripts, actions or forms, or loads files of other sites. Applications show such files without them, or not at all.',
    'Export the text as a plain document, without scripts and external files.',
  ),

  'descriptor-not-json': error(
    'moduleSchema.json is not JSON',
    'The descriptor must be UTF-8 JSON by RFC 8259.',
    'Correct the text at the given line and column.',
  ),
  'descriptor-duplicate-key': error(
    'moduleSchema.json has a duplicate key',
    'Parsers disagree about which of two equal keys they use.',
    'Remove one of them.',
  ),
  'descriptor-schema-unsupported': error(
    'The descriptor has an unsupported schema',
    'The member schema names the version of the descriptor; this service supports "1.0".',
    'Set schema to "1.0".',
  ),
  'descriptor-invalid': error(
    'A value in the descriptor is not valid',
    'The value is missing, has the wrong type, or breaks the rule of its field.',
    'Correct the value at the given pointer. The schema is at /schemas/module-schema.json.',
  ),
  'descriptor-english-missing': error(
    'The English translation is missing',
    'Every module needs an English translation, which is the fallback for other languages.',
    'Add a translation whose languageId is English. The IDs are at /api/v8.0/CommonData/languages.',
  ),
  'descriptor-translation-duplicate': error(
    'A language has two translations',
    'A module has one translation per language.',
    'Remove one of the two.',
  ),
  'descriptor-translation-recommended': warning(
    'A recommended translation is missing',
    'The platform recommends translations in some languages beside English. Farmers who read one of them see the English texts.',
    'Add the translations that the warning names, or leave them out if the module is not offered in these languages.',
  ),
  'descriptor-language-unknown': error(
    'A language is not in the catalogue',
    "languageId must be in this deployment's catalogue.",
    'Use an ID from /api/v8.0/CommonData/languages.',
  ),
  'descriptor-data-area-unknown': error(
    'A data area is not in the catalogue',
    "dataAreaIds must be in this deployment's catalogue.",
    'Use an ID from /api/v8.0/CommonData/dataAreas.',
  ),
  'descriptor-file-missing': error(
    'moduleFiles names a file that is not in the archive',
    'Each item of moduleFiles names a file of the package by its path.',
    'Add the file, or correct its path; paths are case-sensitive.',
  ),
  'descriptor-file-misplaced': error(
    'moduleFiles names a file outside its folders',
    'The files must be in ModuleToS/, ModulePrivacy/, ModuleImage/ or ModuleLogo/.',
    'Move the file, or remove the item.',
  ),
  'descriptor-property-unknown': warning(
    'The descriptor has an unknown property',
    'The property is ignored.',
    'Check its spelling, or remove it.',
  ),
  'descriptor-document-type-unknown': warning(
    'A document type is not in the catalogue',
    "It is kept as it is, but this deployment's applications do not know it.",
    'Use an ID or key from /api/v8.0/CommonData/documentTypes, or leave it.',
  ),
  'descriptor-entry-file-missing': warning(
    'The entry file is not in the build',
    'A relative entryFileUrl names a file of PackageArtifact/build/, from which the module is loaded.',
    'Correct entryFileUrl, or add the file to the build. Paths are case-sensitive.',
  ),
  'descriptor-id-of-other-set': warning(
    'An ID belongs to another set of the catalogue',
    'The catalogue knows the ID, but in another set than the one of this field. It is kept as it is.',
    'Use an ID of the right set. The sets are at /api/v8.0/CommonData.',
  ),
  'descriptor-id-unknown': warning(
    'An ID is not in the catalogue',
    "It is kept as it is, but this deployment's pages and applications do not know it: they show no name for it.",
    'Use an ID from /api/v8.0/CommonData, or leave it if it is an ID of another deployment of the platform.',
  ),
  'descriptor-reason-unused': warning(
    'A reason is for a data area that the package does not request',
    'Farmers read the reasons of `dataAreaReasons` beside the data areas of `dataAreaIds`, so they never see this one.',
    'Use an ID of dataAreaIds, or remove the reason.',
  ),
  'descriptor-deployment-type-unknown': warning(
    'The deployment type is not in the catalogue',
    "It is kept as it is, but this deployment's applications do not know it.",
    'Use a key from /api/v8.0/CommonData/deploymentTypes, or leave it.',
  ),
  'descriptor-file-backslash': warning(
    'A path in moduleFiles has a backslash',
    'Paths in a package use `/`. The backslash is read as one.',
    'Write the path with `/`.',
  ),
  'descriptor-price-ambiguous': warning(
    'Two subscription options are for the same cycle, currency and region',
    'Farmers see both, and cannot know which price counts.',
    'Remove one of them, or correct its cycle, currency or region.',
  ),
  'descriptor-value-repeated': warning(
    'A list in the descriptor has a duplicate value',
    'The duplicate is ignored.',
    'Remove the duplicate.',
  ),

  'roles-not-json': error(
    'The roles and entities file is not JSON',
    'It must be UTF-8 JSON by RFC 8259, without duplicate keys.',
    'Correct the text at the given line and column.',
  ),
  'roles-invalid': error(
    'The roles and entities file does not fit its schema',
    'It is validated against a fixed JSON Schema.',
    'Correct the value at the given pointer. The schema is at /schemas/roles-entities.json.',
  ),
  'roles-environment-key-unknown': warning(
    'A kind of data names an environment variable that the module does not have',
    'environmentKey is a key of environmentVariables in moduleSchema.json.',
    'Correct the key, or add the variable.',
  ),
  'alert-rules-not-yaml': error(
    'The alert rule definition file is not YAML',
    'It must be one YAML 1.2 document in UTF-8, with core tags only and few aliases.',
    'Correct the text at the given line and column.',
  ),
  'alert-rules-property-unknown': warning(
    'The alert rule definition file has an unknown property',
    'The property is ignored.',
    'Check its spelling, or remove it.',
  ),
  'alert-rules-property-unused': warning(
    'An input has a property that its kind does not use',
    'Bounds and units are of numbers, options of a select. The property is ignored.',
    'Remove it, or change the kind of the input.',
  ),
  'alert-rules-invalid': error(
    'The alert rule definition file does not fit its schema',
    'A criterion, part or text is missing or has the wrong type.',
    'Correct the value at the given line. The schema is at /schemas/alert-rules.json.',
  ),

  'auth-withdrawn': error(
    'The authorization for the import was withdrawn',
    'The person or trusted publisher that uploaded the package was removed, or lost the role that it needs, before the import was written.',
    'A member who may import the module uploads the package again.',
  ),

  'check-unavailable': warning(
    "The operator's own check was not made",
    'The operator of this deployment has packages checked by a service of its own, which did not answer.',
    'No action is needed. Import the package again later to have it checked.',
  ),

  'registry-scope-taken': error(
    'The scope is taken',
    'A scope is unique among the modules of a tenant. It stays the property of the organization that registered it, also if its module was renamed or deleted, until an operator frees it.',
    'Choose another scope.',
  ),
  'registry-scope-changed': error(
    'The package has another scope than its module',
    'Hosts load a module by its scope, so an update does not change it by accident.',
    "Put the module's scope into moduleSchema.json. To rename the module, import the package with ?renameScope=true.",
  ),
  'registry-scope-kept': warning(
    "The package has no scope; the module's is kept",
    'Hosts load a module by its scope, so an update does not remove it.',
    "Put the module's scope into moduleSchema.json, and check the spelling of the member.",
  ),
  'registry-quota-exceeded': error(
    'The organization has as many modules as it may',
    'Each organization may have a number of modules, which /api/v8.0/limits returns.',
    'Delete modules that are no longer needed, or update one of them by its moduleId.',
  ),
  'registry-module-id-not-allowed': error(
    'The module ID cannot be used',
    'This organization may not import a module with this ID.',
    'Leave moduleId out to get a new ID, or use the ID of one of your own modules.',
  ),
  'registry-superseded': error(
    'A later import, or the deletion of the module, came first',
    'A later import of the module has succeeded, or the module was deleted after this import was accepted.',
    'Upload the package again if it is still wanted.',
  ),
  'registry-dependency-unknown': warning(
    'A module that this one depends on is not known',
    "The organization's tenant has no module with this ID. Farmers cannot install a module before those that it depends on.",
    'Check the ID in dependencies, or import the other module too.',
  ),
  'registry-member-removed': warning(
    'The update removes something that the module had',
    'A module becomes what the package says: what the package leaves out is empty. Only translations in other languages stay.',
    'If that was not intended, add what is missing to the package and import again. `modulectl import --validate-only` reports this before an import.',
  ),
  'registry-revision-changed': error(
    'The module has another revision',
    'The newest revision of the module does not match If-Match.',
    'Read the module, review what changed, and import again with the newest revision, `newestRevision`.',
  ),
  'registry-revision-not-released': warning(
    'The revision is not released to everyone',
    'The package equals the newest revision of the module, which is staged, or which a ring alone sees, or which was rolled back; somebody decided about releases after the import was accepted; an operator has to approve the first release, or has declined it; or the package has placeholders.',
    'Release the revision with the call that the warning names. If the warning names placeholders, replace them and import again; if an operator has declined the revision, import another package.',
  ),
} as const satisfies Record<string, ProblemMeaning>;

export type PackageProblemCode = keyof typeof PACKAGE_PROBLEMS;

/** A code that the operator's own check of packages has chosen. No code of the service starts like this. */
export type OperatorCode = `operator-${string}`;

/** The form of such codes. */
export const OPERATOR_CODE = /^operator(?:-[a-z0-9]+)+$/;

export function isOperatorCode(code: string): code is OperatorCode {
  return OPERATOR_CODE.test(code);
}

/** What all codes of the operator's own check have in common. */
const OPERATOR_PROBLEM = error(
  "The operator's own check found a problem",
  'The operator of this deployment has packages checked by a service of its own. It chose the code, the severity and the text of the problem.',
  'Do what the text of the problem says. The operator can explain it.',
);

/** The meaning of a code. */
export function meaningOf(code: PackageProblemCode | OperatorCode): ProblemMeaning {
  return isOperatorCode(code) ? OPERATOR_PROBLEM : PACKAGE_PROBLEMS[code];
}
