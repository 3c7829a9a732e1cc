const DEFAULT_TYPE = 'application/octet-stream';

/** Types that are named like the extension, such as `image/png`. */
const NAMED_LIKE_EXTENSION = {
  image: 'avif bmp gif jpeg png webp',
  text: 'css csv html',
  application: 'json pdf rtf wasm xml yaml zip',
  video: 'mp4 webm',
  audio: 'ogg wav',
  font: 'otf ttf woff woff2',
};

/** The other types, with their extensions. */
const OTHERS = {
  'text/javascript': 'cjs js mjs',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-fontobject': 'eot',
  'application/geo+json': 'geojson',
  'model/gltf-binary': 'glb',
  'model/gltf+json': 'gltf',
  'text/html': 'htm',
  'image/x-icon': 'ico',
  'image/jpeg': 'jpg',
  'application/json': 'map',
  'text/markdown': 'md',
  'audio/mpeg': 'mp3',
  'image/svg+xml': 'svg',
  'text/plain': 'txt',
  'application/manifest+json': 'webmanifest',
};

/** Types of the files in packages, by extension; images and logos are recognized by their content instead. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(NAMED_LIKE_EXTENSION).flatMap(([family, extensions]) =>
    extensions.split(' ').map((each) => [each, `${family}/${each}`] as const),
  ),
  ...Object.entries(OTHERS).flatMap(([type, extensions]) =>
    extensions.split(' ').map((each) => [each, type] as const),
  ),
]);

/** The media type of a path's extension. */
export function mediaTypeOf(path: string): string {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return TYPES.get(extension) ?? DEFAULT_TYPE;
}
