import { readFileSync } from 'node:fs';
import path from 'node:path';
import { loadCatalogue } from '../../shared/catalogue/catalogue.ts';
import { descriptorForm } from '../../shared/package/descriptor/module-schema.ts';
import {
  FLAT_FOLDER_RULES,
  maxBytesOf,
  PACKAGE_FOLDERS,
  type PackageFolder,
} from '../../shared/package/layout/package-folders.ts';
import { DEFAULT_PACKAGE_LIMITS } from '../../shared/package/limits.ts';
import { PACKAGE_PROBLEMS } from '../../shared/package/problem-codes.ts';
import { keptVersions, ZIP_TOOLS } from './zip-tools.ts';

const EXAMPLE = path.resolve(import.meta.dirname, '../fixtures/example-module');
const ALERT_RULES = 'AlertRuleDefinitionFile/alert-rules.yaml';
const ROLES = 'ModuleSpecificRolesEntitiesDefinition/roles-entities.json';

/** The content of each folder. */
const CONTENTS: Readonly<Record<PackageFolder, string>> = {
  PackageArtifact: 'the built web application',
  ModuleToS: 'terms, for a country and in a language',
  ModulePrivacy: 'privacy statements, likewise',
  ModuleImage: 'screenshots: PNG, JPEG, GIF, WebP, AVIF or SVG',
  ModuleLogo: 'the logo, in the same formats',
  AlertRuleDefinitionFile: 'the alert rules that farmers can make',
  ModuleSpecificRolesEntitiesDefinition: 'roles and kinds of data that the module adds',
};

interface MemberSchema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly items?: ObjectSchema | MemberSchema;
}

interface ObjectSchema {
  readonly title?: string;
  readonly description?: string;
  readonly properties: Readonly<Record<string, MemberSchema>>;
  readonly required: readonly string[];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function sizeOf(bytes: number): string {
  const [GiB, MiB] = [1024 ** 3, 1024 ** 2];
  return bytes % GiB === 0 ? `${bytes / GiB} GiB` : `${bytes / MiB} MiB`;
}

/** Those of the shipped catalogue, in words. */
function recommendedLanguages(): string {
  return [...loadCatalogue().forPackages.recommendedLanguages.values()].join(' and ');
}

function folderTable(): string {
  const { maxEntryBytes } = DEFAULT_PACKAGE_LIMITS;
  const rows = PACKAGE_FOLDERS.map((folder) => {
    const rule = folder === 'PackageArtifact' ? null : FLAT_FOLDER_RULES[folder];
    const files = rule === null ? 'everything in `build/`, at any depth' : rule.expected;
    const count = rule?.exactlyOne === true ? 'exactly one' : 'any number';
    const size = sizeOf(maxBytesOf(rule?.kind ?? 'artifact', DEFAULT_PACKAGE_LIMITS) ?? maxEntryBytes);
    return [`\`${folder}/\``, CONTENTS[folder], files, rule === null ? 'at least one' : count, size];
  });
  return table(['folder', 'contains', 'names of its files', 'files', 'size of a file'], rows);
}

function typeOf({ type, const: constant, pattern, items }: MemberSchema): string {
  if (constant !== undefined) return `\`${JSON.stringify(constant)}\``;
  const name = (Array.isArray(type) ? type : [type]).find((each) => each !== 'null') ?? 'any';
  if (name === 'array')
    return items !== undefined && 'properties' in items ? 'list of objects' : 'list of IDs';
  return name === 'string' && pattern?.includes('[0-9a-fA-F]') === true ? 'ID' : String(name);
}

function memberTable({ properties, required }: ObjectSchema): string {
  const rows = Object.entries(properties).map(([name, member]) => [
    `\`${name}\``,
    required.includes(name) ? `${typeOf(member)}, required` : typeOf(member),
    [member.title, member.description?.replace(/\.$/, '')].filter((each) => each !== undefined).join('. '),
  ]);
  return table(['member', 'type', 'meaning'], rows);
}

/** The descriptor and the objects in its lists, each with a heading. */
function descriptorSections(): string {
  const form: ObjectSchema = descriptorForm;
  const nested = Object.entries(form.properties).flatMap(([name, { items }]) =>
    items !== undefined && 'properties' in items
      ? [`### \`${name}\`\n\n${items.description ?? ''}\n\n${memberTable(items)}`]
      : [],
  );
  return [memberTable(form), ...nested].join('\n\n');
}

function dataAreaTable(): string {
  const rows = (loadCatalogue().sets.get('dataAreas') ?? []).map(({ id, key, value, description }) => [
    `\`${id}\``,
    key,
    value,
    description ?? '',
  ]);
  return table(['ID', 'key', 'name', 'what a key can read'], rows);
}

function zipToolTable(): string {
  const versions = keptVersions();
  const rows = ZIP_TOOLS.map(({ tool, command, result, evidence }) => [
    tool,
    `\`${command}\``,
    result === null
      ? 'accepted'
      : `${PACKAGE_PROBLEMS[result].severity === 'warning' ? 'accepted, with' : 'rejected:'} \`${result}\``,
    evidence ?? `version ${versions[tool] ?? ''}, run`,
  ]);
  return table(['tool', "command, in the module's folder", 'result', 'tried with'], rows);
}

function example(file: string, language: string): string {
  return `\`\`\`${language}\n${readFileSync(path.join(EXAMPLE, file), 'utf8').trim()}\n\`\`\``;
}

/** `docs/package.md`, before it is formatted: its tables and examples are those that the service uses. */
export function packagePage(): string {
  const { maxPackageBytes, maxEntries, maxUnpackedBytes, maxDescriptorBytes } = DEFAULT_PACKAGE_LIMITS;
  return `# The module package

A package is a ZIP with \`moduleSchema.json\` in its root and up to seven folders. \`modulectl init\` writes a complete one;
\`modulectl check\` applies every rule on this page. A package is accepted as a whole or rejected with all of its problems.
Your platform's server ships \`modulectl\`: its page \`/cli\` says how to get it.

A server's own limits and IDs are at \`/api/v8.0/limits\` and \`/api/v8.0/CommonData/…\`; \`modulectl catalogue\` lists the IDs. The JSON
Schemas are at \`/schemas/module-schema.json\`, \`/schemas/alert-rules.json\` and \`/schemas/roles-entities.json\`.

## Files and folders

\`moduleSchema.json\` has at most ${sizeOf(maxDescriptorBytes)}. A package has at most ${sizeOf(maxPackageBytes)}, ${maxEntries.toLocaleString('en')} files
and ${sizeOf(maxUnpackedBytes)} unpacked. A missing folder is a warning. Names are case-sensitive. Put the files into the root, not into a single
folder.

${folderTable()}

## ZIP tools

Any tool will do that writes ordinary ZIPs of the module's files: \`/\` between folders, names in UTF-8, stored or deflated, no links, no
password. A leading \`./\` is dropped. What operating systems add (\`__MACOSX/\`, \`._*\`, \`.DS_Store\`, \`Thumbs.db\`, \`desktop.ini\`)
is skipped, with a warning for each kind. \`modulectl pack .\` writes the same bytes on every system.

What was run, a test runs with the tool that is installed. Where a tool was not run, a test builds the archive, with the headers of real
ones that the tool made.

${zipToolTable()}

## moduleSchema.json

For an optional member, absent, null and the empty string mean the same. Unknown members are ignored, with a warning each. IDs come from the
server's catalogue. An ID that it does not have is a warning, of a language or a data area an error; a key such as \`EUR\` in place of an ID
is refused, and the message has its ID. A package needs an English translation. Without one in a language that the server recommends it gets the
warning \`descriptor-translation-recommended\`; \`recommendedLanguageIds\` of \`/api/v8.0/limits\` has these languages, ${recommendedLanguages()} on
most servers.

${descriptorSections()}

## Alert rules

\`${path.dirname(ALERT_RULES)}/\` contains one YAML file. Each criterion is a form that a farmer fills to make a rule; the names of its inputs are the keys of the rule's
values. \`expectedIntervalHours\`, from 1 to 8760, is the longest interval between two reports of a rule by your back end: with an alert, or
[by a call](backends.md#report-that-rules-were-checked). A farmer sees when a report is overdue. A criterion can override the interval of the file;
without an interval, no report is expected.

${example(ALERT_RULES, 'yaml')}

## Roles and kinds of data

Names of roles and environment keys are unique in the file. Roles and kinds of data are stored, and can be read with the module. The platform does
not enforce custom permissions yet.

${example(ROLES, 'json')}

## Data areas

\`dataAreaIds\` lists the data that the module's back end requests. A farmer agrees to the areas when installing the module; a key can read only these.

${dataAreaTable()}

## Versions

A package with the \`moduleId\` of one of your modules makes its next revision; with another ID, or none, it makes a new module. A package without
changes makes no revision: the result is \`unchanged\`. That is one with the content of the newest revision, or of the one that everyone has
after a roll-back. The order of the uploads decides: an import never replaces a later one. \`scope\` is unique in the tenant, so each module needs its own.

Hosts load a module by its scope, so a typing error never changes it. A package without a scope keeps the module's, with the warning
\`registry-scope-kept\`. One with another scope is rejected with \`registry-scope-changed\`, unless the import has \`?renameScope=true\`. A scope
that was registered once stays your organization's, also if the module is renamed or deleted: any of your modules that has no scope can use it.

A module becomes what the package says. Translations in languages that the package does not mention stay, without their release notes; everything
else that it leaves out is removed. So a package without \`dataAreaIds\` takes from your API keys what they could read, and a criterion that is gone outdates the alert
rules that farmers made of it. Each member that an update empties or narrows is a warning, \`registry-member-removed\`, with what is
removed and how many alert rules it outdates; a folder that is gone is a warning too. \`modulectl import --validate-only\`, and the check of a
package in the portal, report the same before anything is stored. Without a server, \`modulectl check --against\` reports what a package
removes from an earlier package or folder.
`;
}
