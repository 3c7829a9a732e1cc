import type { PackageCatalogue, PackageSubject } from '../package-report.ts';
import type { Descriptor } from './descriptor.ts';
import { DESCRIPTOR_RULES } from './descriptor-rules.ts';
import { DESCRIPTOR_PATH } from '../layout/layout.ts';
import { entryFileProblems } from './entry-file-rule.ts';
import { validateModuleFiles } from './module-file-rules.ts';
import { normalDescriptor } from './normal-descriptor.ts';
import { normalId } from '../schema/normal-form.ts';
import { parseJson } from '../text/parse-json.ts';
import { locationOf, type LocatedText } from '../text/located-text.ts';
import type { PackageProblemCode } from '../problem-codes.ts';
import { type Problem, problem } from '../problem.ts';
import { duplicateKeyProblems } from '../schema/validate-file.ts';
import { rootMember, withoutEmptyMembers } from '../schema/read-members.ts';
import { moduleSchema } from './module-schema.ts';
import { unknownProperties } from '../schema/unknown-properties.ts';
import { compileSchema, schemaProblems } from '../schema/validate-schema.ts';

/** Whether a value fits the descriptor's schema; `errors` has what does not. */
export const isInputDescriptor = compileSchema(moduleSchema);

/** What a package gets from `moduleSchema.json`. */
export interface DescriptorContent {
  /** Null where the file cannot be parsed. */
  readonly subject: PackageSubject | null;
  /** Null where there is an error. */
  readonly descriptor: Descriptor | null;
  /** The files of the archive that it names; null where that is unknown. */
  readonly namedFiles: ReadonlySet<string> | null;
}

function codeOf(pointer: string): PackageProblemCode {
  return pointer === '/schema' ? 'descriptor-schema-unsupported' : 'descriptor-invalid';
}

/** A message never shows what may be an environment variable's value, not even one in the wrong member. */
function isSecret(pointer: string): boolean {
  return pointer.startsWith('/environmentVariables');
}

/** The schema's problems, except for values about which a rule has already reported one. */
function withSchemaProblems(text: LocatedText, problems: readonly Problem[]): readonly Problem[] {
  const bySchema = schemaProblems(text, isInputDescriptor.errors ?? [], { codeOf, isSecret });
  const invalid = problems.filter((each) => each.code === 'descriptor-invalid');
  const byRules = new Set(invalid.map((each) => each.pointer));
  return [...bySchema.filter((each) => !byRules.has(each.pointer)), ...problems];
}

function subjectOf(text: LocatedText, problems: readonly Problem[]): PackageSubject {
  const wrong = new Set(problems.map((each) => each.pointer));
  const valid = (name: string): string | null => {
    const value = wrong.has(`/${name}`) ? null : rootMember(text, name);
    return typeof value === 'string' ? value : null;
  };
  return {
    moduleId: normalId(valid('moduleId')),
    scope: valid('scope'),
    moduleIdLocation: locationOf(text, '/moduleId'),
    scopeLocation: locationOf(text, '/scope'),
  };
}

/** Validates the descriptor against the catalogue and the files of the archive. */
export function validateDescriptor(
  content: Buffer,
  catalogue: PackageCatalogue,
  archivePaths: ReadonlySet<string>,
): DescriptorContent & { readonly problems: readonly Problem[] } {
  const parsed = parseJson(DESCRIPTOR_PATH, content);
  if ('detail' in parsed) {
    const { line, column, detail } = parsed;
    const notJson = problem('descriptor-not-json', detail, { entry: DESCRIPTOR_PATH, line, column });
    return { problems: [notJson], subject: null, descriptor: null, namedFiles: null };
  }
  const text = { ...parsed, value: withoutEmptyMembers(moduleSchema, parsed.value) };
  const files = validateModuleFiles(text, archivePaths);
  const byRules = [
    ...duplicateKeyProblems(text, 'descriptor-duplicate-key'),
    ...DESCRIPTOR_RULES.flatMap((findProblems) => findProblems(text, catalogue)),
    ...files.problems,
    ...entryFileProblems(text, archivePaths),
    ...unknownProperties(text, moduleSchema, 'descriptor-property-unknown'),
  ];
  const { value } = text;
  const fits = isInputDescriptor(value);
  const problems = fits ? byRules : withSchemaProblems(text, byRules);
  const isWithoutErrors = problems.every((each) => each.severity === 'warning');
  return {
    problems,
    subject: text.root.members === null ? null : subjectOf(text, problems),
    descriptor: fits && isWithoutErrors ? normalDescriptor(value) : null,
    namedFiles: text.root.members === null ? null : files.paths,
  };
}
