import { validateDescriptor } from '../../../shared/package/descriptor/validate-descriptor.ts';
import { ENGLISH_ID, jsonText, formatProblems, testCatalogue } from '../../support/package-builder.ts';

/** An ID for any purpose. */
export const ID = '99999999-9999-4999-8999-999999999999';

/** Minimal descriptors are in English only. */
const CATALOGUE = { ...testCatalogue, recommendedLanguages: new Map<string, string>() };

/** The result of validating a text as the descriptor of a package without other files. */
export function validateText(text: string | Buffer) {
  return validateDescriptor(Buffer.from(text), CATALOGUE, new Set());
}

/** The same of a minimal descriptor with these members; undefined omits one. */
export function validate(members: Readonly<Record<string, unknown>>) {
  const english = { languageId: ENGLISH_ID, moduleName: 'A' };
  return validateText(jsonText({ schema: '1.0', translations: [english], ...members }));
}

/** Every problem of a descriptor with these members, one line each, without the name of the file. */
export function problemsOf(members: Readonly<Record<string, unknown>>): string[] {
  return formatProblems(validate(members).problems).map((each) => each.replace('moduleSchema.json', ''));
}

/** Only code, position and pointer of each. */
export function locations(members: Readonly<Record<string, unknown>>): string[] {
  return problemsOf(members).map((each) => each.split(' | ')[0] ?? '');
}

/** Every problem of a text, one line each, without the name of the file. */
export function problemsOfText(text: string | Buffer): string[] {
  return formatProblems(validateText(text).problems).map((each) => each.replace('moduleSchema.json', ''));
}

/** Translations: an English one and these. */
export function translated(...members: readonly unknown[]): Record<string, unknown> {
  return { translations: [{ languageId: ENGLISH_ID, moduleName: 'A' }, ...members] };
}
