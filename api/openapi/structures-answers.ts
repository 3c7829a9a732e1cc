import type { Answer } from './operation.ts';
import { ref } from './operation.ts';

/** Answers with structures in their three forms; the two schemas are of JSON and GeoJSON. */
export function structuresAnswers(
  jsonSchema: string,
  geoJsonSchema: string,
  headers: readonly string[],
): Readonly<Record<number, Answer>> {
  const all = ['ETag', 'Cache-Control', ...headers];
  return {
    200: {
      description:
        'The structures, in the form that `Accept` asks for: JSON, NDJSON with one organization a line, or GeoJSON.',
      forms: {
        'application/json': { schema: ref(jsonSchema) },
        'application/x-ndjson': {
          schema: { type: 'string', description: 'Each line is an OrganizationStructures.' },
          partSchema: ref('OrganizationStructures'),
        },
        'application/geo+json': { schema: ref(geoJsonSchema) },
      },
      headers: all,
    },
    304: { description: 'The caller has this version.', headers: all },
  };
}
