import type { Grant } from '../../shared/db/access/module-grants.ts';
import {
  structuresOfText,
  type StructureForm,
  type StructureReader,
  type StructureRow,
} from '../../shared/db/structures/read-structures.ts';
import type { FindStillGranted } from './grant-watch.ts';
import { structureTexts, type StructureText } from './structure-texts.ts';

/** The forms of an answer with structures, selected by `Accept`. */
export type StructuresFormat = 'json' | 'ndjson' | 'geojson';

/** The `Content-Type` of each form. JSON has no charset (RFC 8259, 11), and some generated clients compare the whole. */
export const MEDIA_TYPES: Record<StructuresFormat, string> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson; charset=utf-8',
  geojson: 'application/geo+json',
};

/** The contents of an answer with structures. */
export interface StructuresAnswer {
  /** Null: a farmer reads its own structures; JSON then omits the organization around them. */
  readonly moduleId: string | null;
  readonly format: StructuresFormat;
  readonly withArchived: boolean;
  readonly grants: readonly Grant[];
  readonly nextCursor: string | null;
}

/** An answer before it is sent. */
export interface FoundStructures {
  readonly answer: StructuresAnswer;
  readonly etag: string;
  /** The whole answer; null if it was not requested or is too long for memory. */
  readonly body: Buffer | null;
}

/** Where the answers to a request come from. */
export interface StructuresSource {
  /**
   * Finds the answer: the state of the structures and, if `withBody`, a short body of that state.
   * @throws ProblemError 403 if the module does not declare the data area.
   */
  find(withBody: boolean): Promise<FoundStructures>;
  /** The organizations that may still be read; null: the whole answer may not. Absent: nothing can be withdrawn. */
  readonly findStillGranted?: FindStillGranted;
}

/** How the structures of an answer are read. */
export function formOf(format: StructuresFormat): StructureForm {
  return format === 'geojson' ? 'features' : 'nested';
}

/** The text of an answer whose structures were read with its grants; null if it is too long for that. */
export function shortText(answer: StructuresAnswer): string | null {
  const newText = structureTexts(formOf(answer.format), answer.withArchived);
  let text = start(answer);
  for (const [index, organization] of answer.grants.entries()) {
    if (organization.text === null) return null;
    const rows = newText();
    text += before(answer, organization, index) + textOf(structuresOfText(organization.text), rows);
    text += rows.end() + after(answer);
  }
  return text + end(answer);
}

/**
 * The text of a long answer in pieces: its structures are read while it is sent. `mayRead` says of each organization, by
 * its index, whether it is still part of the answer.
 */
export async function* longText(
  reader: Pick<StructureReader, 'pages'>,
  answer: StructuresAnswer,
  mayRead: (index: number) => Promise<boolean>,
): AsyncGenerator<string> {
  const form = formOf(answer.format);
  const newText = structureTexts(form, answer.withArchived);
  let sent = 0;
  yield start(answer);
  for (const [index, organization] of answer.grants.entries()) {
    if (!(await mayRead(index))) continue;
    const text = newText();
    yield before(answer, organization, sent++);
    if (organization.structures > 0)
      for await (const rows of reader.pages(organization, form)) yield textOf(rows, text);
    yield text.end() + after(answer);
  }
  yield end(answer);
}

function textOf(rows: readonly StructureRow[], text: StructureText): string {
  let piece = '';
  for (const row of rows) piece += text.next(row);
  return piece;
}

/** Whether each organization's farms are wrapped in an object of the organization. */
function isWrapped({ format, moduleId }: StructuresAnswer): boolean {
  return format === 'ndjson' || (format === 'json' && moduleId !== null);
}

function start({ format, moduleId }: StructuresAnswer): string {
  if (format === 'ndjson') return '';
  if (format === 'geojson') return '{"type":"FeatureCollection","features":[';
  return moduleId === null ? '{"farms":[' : `{"moduleId":"${moduleId}","organizations":[`;
}

/** The text before the structures of an organization. */
function before(
  answer: StructuresAnswer,
  { organizationId, organizationName }: Grant,
  index: number,
): string {
  const comma = index > 0 && answer.format === 'json' ? ',' : '';
  if (!isWrapped(answer)) return comma;
  return `${comma}{"organizationId":"${organizationId}","organizationName":${JSON.stringify(organizationName)},"farms":[`;
}

/** The text after the structures of an organization. */
function after(answer: StructuresAnswer): string {
  if (!isWrapped(answer)) return '';
  return answer.format === 'ndjson' ? ']}\n' : ']}';
}

function end({ format, moduleId, nextCursor }: StructuresAnswer): string {
  if (format === 'ndjson') return '';
  return moduleId === null ? ']}' : `],"nextCursor":${JSON.stringify(nextCursor)}}`;
}
