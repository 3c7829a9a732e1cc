import type { Grant } from '../../shared/db/access/module-grants.ts';
import { structuresOfText } from '../../shared/db/structures/read-structures.ts';
import type {
  StructureForm,
  StructureReader,
  StructureRow,
} from '../../shared/db/structures/read-structures.ts';
import { structureTexts } from './structure-texts.ts';
import type { StructureText } from './structure-texts.ts';

/** The forms of an answer with structures, as `Accept` chooses them. */
export type StructuresFormat = 'json' | 'ndjson' | 'geojson';

/** The `Content-Type` of each form. */
export const MEDIA_TYPES: Record<StructuresFormat, string> = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  geojson: 'application/geo+json; charset=utf-8',
};

/** What an answer with structures is made of. */
export interface StructuresAnswer {
  /** Null: a farmer reads its own, which JSON tells without the organization around it. */
  readonly moduleId: string | null;
  readonly format: StructuresFormat;
  readonly withArchived: boolean;
  readonly openings: readonly Grant[];
  readonly nextCursor: string | null;
}

/** An answer before it is sent. */
export interface FoundStructures {
  readonly answer: StructuresAnswer;
  readonly etag: string;
  /** The whole answer; null where it was not asked for or is too long to be in memory. */
  readonly body: Buffer | null;
}

/**
 * Finds what a request is answered with: the state of the structures and, where `withBody`, a short body of
 * that state.
 * @throws ProblemError 403 when the module does not declare the data area.
 */
export type FindStructures = (withBody: boolean) => Promise<FoundStructures>;

/** How the structures of an answer are read. */
export function formOf(format: StructuresFormat): StructureForm {
  return format === 'geojson' ? 'features' : 'nested';
}

/** The text of an answer whose structures have been read with its openings; null where it is too long for that. */
export function shortText(answer: StructuresAnswer): string | null {
  const newText = structureTexts(formOf(answer.format), answer.withArchived);
  let text = opening(answer);
  for (const [index, organization] of answer.openings.entries()) {
    if (organization.text === null) return null;
    const rows = newText();
    text += before(answer, organization, index) + textOf(structuresOfText(organization.text), rows);
    text += rows.end() + after(answer);
  }
  return text + ending(answer);
}

/** The text of a long answer, in pieces: its structures are read while it is sent. */
export async function* longText(reader: StructureReader, answer: StructuresAnswer): AsyncGenerator<string> {
  const form = formOf(answer.format);
  const newText = structureTexts(form, answer.withArchived);
  yield opening(answer);
  for (const [index, organization] of answer.openings.entries()) {
    const text = newText();
    yield before(answer, organization, index);
    if (organization.structures > 0)
      for await (const rows of reader.batches(organization.organizationId, form)) yield textOf(rows, text);
    yield text.end() + after(answer);
  }
  yield ending(answer);
}

function textOf(rows: readonly StructureRow[], text: StructureText): string {
  let piece = '';
  for (const row of rows) piece += text.next(row);
  return piece;
}

/** Whether each organization's farms stand in an object of the organization. */
function isWrapped({ format, moduleId }: StructuresAnswer): boolean {
  return format === 'ndjson' || (format === 'json' && moduleId !== null);
}

function opening({ format, moduleId }: StructuresAnswer): string {
  if (format === 'ndjson') return '';
  if (format === 'geojson') return '{"type":"FeatureCollection","features":[';
  return moduleId === null ? '{"farms":[' : `{"moduleId":"${moduleId}","organizations":[`;
}

/** What comes before the structures of an organization. */
function before(
  answer: StructuresAnswer,
  { organizationId, organizationName }: Grant,
  index: number,
): string {
  const comma = index > 0 && answer.format === 'json' ? ',' : '';
  if (!isWrapped(answer)) return comma;
  return `${comma}{"organizationId":"${organizationId}","organizationName":${JSON.stringify(organizationName)},"farms":[`;
}

/** What comes after the structures of an organization. */
function after(answer: StructuresAnswer): string {
  if (!isWrapped(answer)) return '';
  return answer.format === 'ndjson' ? ']}\n' : ']}';
}

function ending({ format, moduleId, nextCursor }: StructuresAnswer): string {
  if (format === 'ndjson') return '';
  return moduleId === null ? ']}' : `],"nextCursor":${JSON.stringify(nextCursor)}}`;
}
