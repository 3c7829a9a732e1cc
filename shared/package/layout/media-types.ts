const DEFAULT_TYPE = 'application/octet-stream';

/** Types of the files in packages, by extension; images and logos are recognized by their content instead. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['avif', 'image/avif'],
  ['css', 'text/css'],
  ['csv', 'text/csv'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['gif', 'image/gif'],
  ['htm', 'text/html'],
  ['html', 'text/html'],
  ['ico', 'image/x-icon'],
  ['jpeg', 'image/jpeg'],
  ['jpg', 'image/jpeg'],
  ['js', 'text/javascript'],
  ['json', 'application/json'],
  ['map', 'application/json'],
  ['md', 'text/markdown'],
  ['mjs', 'text/javascript'],
  ['pdf', 'application/pdf'],
  ['png', 'image/png'],
  ['rtf', 'application/rtf'],
  ['svg', 'image/svg+xml'],
  ['txt', 'text/plain'],
  ['wasm', 'application/wasm'],
  ['webp', 'image/webp'],
  ['woff', 'font/woff'],
  ['woff2', 'font/woff2'],
  ['xml', 'application/xml'],
  ['yaml', 'application/yaml'],
  ['zip', 'application/zip'],
]);

/** The media type of a path's extension. */
export function mediaTypeOf(path: string): string {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return TYPES.get(extension) ?? DEFAULT_TYPE;
}
