import { kml } from '@tmcw/togeojson';
import { DOMParser, onErrorStopParsing } from '@xmldom/xmldom';
import { FileIssueError, type Layer } from './area.ts';
import { namedSystem } from './coordinate-system.ts';
import { shapesOf } from './read-geojson.ts';

/**
 * Reads a KML text, which is always WGS 84. Not with the browser's parser: the page's policy keeps it closed. A document
 * type is refused, because KML has none, and entities in it can multiply a text. @throws what the parser throws
 */
export function readKml(text: string): Layer {
  if (text.includes('<!DOCTYPE')) throw new FileIssueError('damaged');
  const document = new DOMParser({ onError: onErrorStopParsing, locator: false }).parseFromString(
    text,
    'text/xml',
  );
  return { shapes: shapesOf(kml(document)), toWgs84: namedSystem(null) };
}
