import type { YAMLError } from 'yaml';
import { storableText } from './quote-value.ts';

const MAX_MESSAGE_LENGTH = 200;

/** Remedies for errors whose library messages contain none. */
const MESSAGES: ReadonlyMap<string, string> = new Map([
  ['BAD_DIRECTIVE', 'The directive is not read. Remove its line'],
  ['NON_STRING_KEY', 'A key must be text. Put it into quotes'],
  ['TAB_AS_INDENT', 'Tabs are not allowed as indentation. Use spaces'],
  ['TAG_RESOLVE_FAILED', 'The tag is not known here or does not fit the value. Remove it'],
]);

/** The problem of a text that is not YAML, without a full stop. The library may repeat a tag as long as the text. */
export function describeYamlError({ code, message }: YAMLError): string {
  return MESSAGES.get(code) ?? storableText(message).slice(0, MAX_MESSAGE_LENGTH).replace(/\.$/, '');
}
