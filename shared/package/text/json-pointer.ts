/** Longest member name in a pointer; for a longer one the pointer is that of its parent. */
const MAX_SEGMENT_LENGTH = 200;
/** A pointer that is longer does not step further down. */
const MAX_POINTER_LENGTH = 2_000;

/** A JSON Pointer (RFC 6901) one step further down. */
export function pointerTo(parent: string, segment: string | number): string {
  const text = String(segment);
  // A name of a megabyte, or 60 names of 200 characters, repeated in each of a thousand problems, would fill the answer.
  if (text.length > MAX_SEGMENT_LENGTH || parent.length > MAX_POINTER_LENGTH) return parent;
  return `${parent}/${text.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The names and indexes that a JSON Pointer steps through. */
export function segmentsOf(pointer: string): readonly string[] {
  const [, ...segments] = pointer.split('/');
  return segments.map((each) => each.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A pointer as people write it: `translations[0].moduleName`. */
export function pathLabel(pointer: string): string {
  let label = '';
  for (const segment of segmentsOf(pointer)) {
    if (/^\d+$/.test(segment)) label += `[${segment}]`;
    else label += label === '' ? segment : `.${segment}`;
  }
  return label;
}
