const DEFAULT_TYPE = 'application/octet-stream';

/** Types of the files in packages, by extension; images and logos are recognized by their content instead. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['avif', 'image/avif'],
  ['bmp', 'image/bmp'],
  ['cjs', 'text/javascript'],
  ['css', 'text/css'],
  ['csv', 'text/csv'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['eot', 'application/vnd.ms-fontobject'],
  ['geojson', 'application/geo+json'],
  ['gif', 'image/gif'],
  ['glb', 'model/gltf-binary'],
  ['gltf', 'model/gltf+json'],
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
  ['mp3', 'audio/mpeg'],
  ['mp4', 'video/mp4'],
  ['ogg', 'audio/ogg'],
  ['otf', 'font/otf'],
  ['pdf', 'application/pdf'],
  ['png', 'image/png'],
  ['rtf', 'application/rtf'],
  ['svg', 'image/svg+xml'],
  ['ttf', 'font/ttf'],
  ['txt', 'text/plain'],
  ['wasm', 'application/wasm'],
  ['wav', 'audio/wav'],
  ['webm', 'video/webm'],
  ['webmanifest', 'application/manifest+json'],
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
