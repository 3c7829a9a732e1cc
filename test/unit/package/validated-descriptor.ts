import { validateDescriptor } from '../../../shared/package/descriptor/validate-descriptor.ts';
import { ENGLISH_ID, jsonText, tellProblems, testCatalogue } from '../../support/package-builder.ts';

/** An ID that stands for any. */
export const ID = '99999999-9999-4999-8999-999999999999';

/** What is found of a text in place of the descriptor, beside no other file. */
export function judgedText(text: string | Buffer) {
  return validateDescriptor(Buffer.from(text), testCatalogue, new Set());
}

/** A descriptor of what is required and the members given; undefined leaves one out. */
export function judged(members: Readonly<Record<string, unknown>>) {
  const english = { languageId: ENGLISH_ID, moduleName: 'A' };
  return judgedText(jsonText({ schema: '1.0', translations: [english], ...members }));
}

/** Every problem of a descriptor with these members on a line, without the name of the file. */
export function told(members: Readonly<Record<string, unknown>>): string[] {
  return tellProblems(judged(members).problems).map((each) => each.replace('moduleSchema.json', ''));
}

/** Code, pointer and place alone. */
export function places(members: Readonly<Record<string, unknown>>): string[] {
  return told(members).map((each) => each.split(' | ')[0] ?? '');
}

/** Every problem of a text on a line, without the name of the file. */
export function toldText(text: string | Buffer): string[] {
  return tellProblems(judgedText(text).problems).map((each) => each.replace('moduleSchema.json', ''));
}

/** Translations: an English one and those given. */
export function translated(...members: readonly unknown[]): Record<string, unknown> {
  return { translations: [{ languageId: ENGLISH_ID, moduleName: 'A' }, ...members] };
}
