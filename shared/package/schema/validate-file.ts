import type { PackageProblemCode } from '../problem-codes.ts';
import { problem, type Problem } from '../problem.ts';
import type { LocatedText, TextIssue } from '../text/located-text.ts';
import { quoteText } from '../text/quote-value.ts';
import { normalForm, type NormalForm } from './normal-form.ts';
import type { SchemaPart } from './schema-parts.ts';
import { compileSchema, schemaProblems } from './validate-schema.ts';

/** The normal form of a file's content, null where there is an error, and what is wrong with it. */
export interface ValidatedFile<Value> {
  readonly value: Value | null;
  readonly problems: readonly Problem[];
}

/** How a file is read, and what is said of it. */
interface FileRules<Schema> {
  readonly parse: (entry: string, content: Buffer) => LocatedText | TextIssue;
  readonly schema: Schema;
  /** The code of errors that prevent parsing, duplicate keys included. */
  readonly syntaxCode: PackageProblemCode;
  /** The code of violations of the schema. */
  readonly schemaCode: PackageProblemCode;
  /** The rules beyond the schema. */
  readonly findMore?: (text: LocatedText) => readonly Problem[];
}

/** Makes the validation of a file that has a schema. */
export function fileValidator<const Schema extends SchemaPart>({
  parse,
  schema,
  syntaxCode,
  schemaCode,
  findMore = () => [],
}: FileRules<Schema>): (entry: string, content: Buffer) => ValidatedFile<NormalForm<Schema>> {
  const fits = compileSchema(schema);
  const style = { codeOf: () => schemaCode, isSecret: () => false };
  return (entry, content) => {
    const text = parse(entry, content);
    if ('detail' in text) {
      const { line, column, detail } = text;
      return { value: null, problems: [problem(syntaxCode, detail, { entry, line, column })] };
    }
    const byKeys = [...duplicateKeyProblems(text, syntaxCode), ...longKeyProblems(text, schemaCode)];
    // An over-long key would be repeated in the pointer of each error below it.
    if (text.longKeys.length > 0) return { value: null, problems: byKeys };
    const problems = [...byKeys, ...findMore(text)];
    const { value } = text;
    const isWithoutErrors = problems.every((each) => each.severity === 'warning');
    if (fits(value)) return { value: isWithoutErrors ? normalForm<Schema>(schema, value) : null, problems };
    return { value: null, problems: [...problems, ...schemaProblems(text, fits.errors ?? [], style)] };
  };
}

/** Duplicate names in one object: parsers disagree about which one they use. */
export function duplicateKeyProblems(
  { entry, duplicateKeys }: LocatedText,
  code: PackageProblemCode,
): readonly Problem[] {
  return duplicateKeys.map(({ name, ...location }) =>
    problem(code, `The key ${quoteText(name)} is duplicated. Remove one of the two.`, { entry, ...location }),
  );
}

function longKeyProblems({ entry, longKeys }: LocatedText, code: PackageProblemCode): readonly Problem[] {
  return longKeys.map(({ name, ...location }) =>
    problem(code, `The key ${quoteText(name)} has more than 200 characters. Shorten it.`, {
      entry,
      ...location,
    }),
  );
}
