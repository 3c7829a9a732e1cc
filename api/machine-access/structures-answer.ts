import type { Opening } from '../../shared/db/module-openings.ts';
import type { StructureForm, StructureReader } from '../../shared/db/read-structures.ts';
import { structureTexts } from './structure-texts.ts';

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
  readonly openings: readonly Opening[];
  readonly nextCursor: string | null;
  /** Whether all of it fits in memory; then no connection is held while the client reads. */
  readonly isSmall: boolean;
}

/** The text of an answer, in pieces: JSON, one organization a line, or a FeatureCollection. */
export async function* structuresPieces(
  reader: StructureReader,
  answer: StructuresAnswer,
): AsyncGenerator<string> {
  const { format, openings } = answer;
  const form: StructureForm = format === 'geojson' ? 'features' : 'nested';
  const newText = structureTexts(form, answer.withArchived);
  yield opening(answer);
  for (const [index, organization] of openings.entries()) {
    if (index > 0 && format === 'json') yield ',';
    if (isWrapped(answer)) yield organizationHead(organization);
    const text = newText();
    for await (const rows of rowsOf(reader, organization, form, answer.isSmall)) {
      let piece = '';
      for (const row of rows) piece += text.next(row);
      yield piece;
    }
    yield text.end();
    if (isWrapped(answer)) yield format === 'ndjson' ? ']}\n' : ']}';
  }
  yield ending(answer);
}

async function* rowsOf(
  reader: StructureReader,
  { organizationId, structures }: Opening,
  form: StructureForm,
  isSmall: boolean,
) {
  if (structures === 0) return;
  if (isSmall) yield await reader.all(organizationId, form);
  else yield* reader.batches(organizationId, form);
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

function organizationHead({ organizationId, organizationName }: Opening): string {
  return `{"organizationId":"${organizationId}","organizationName":${JSON.stringify(organizationName)},"farms":[`;
}

function ending({ format, moduleId, nextCursor }: StructuresAnswer): string {
  if (format === 'ndjson') return '';
  return moduleId === null ? ']}' : `],"nextCursor":${JSON.stringify(nextCursor)}}`;
}
