/** A multipart body that is expensive to split into its parts, by what its file repeats. */
export type HostileUpload = readonly [title: string, unit: string];

/** The longest that RFC 2046, 5.1.1, allows, so that partial matches are long too. */
export const HOSTILE_BOUNDARY = `${'-'.repeat(68)}ab`;

const NEARLY = `\r\n--${HOSTILE_BOUNDARY.slice(0, -1)}`;

/** The repeated content of the file; none of it ends the part. */
export const HOSTILE_UPLOADS: readonly HostileUpload[] = [
  ['carriage returns', '\r'],
  ['line feeds', '\n'],
  ['line ends', '\r\n'],
  ['line ends with dashes', '\r\n--'],
  ['dashes', '-'],
  ['beginnings of the boundary', NEARLY],
  ['beginnings of the boundary, one byte shorter each time', NEARLY.slice(0, -1)],
  ['the boundary within a line', ` --${HOSTILE_BOUNDARY}`],
  ['the boundary with another last byte', `${NEARLY}c`],
  ['zeros', '\0'],
];

/** A form with one file of about this many bytes. */
export function hostileForm(unit: string, bytes: number): Buffer {
  return Buffer.concat([
    Buffer.from(
      `--${HOSTILE_BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n`,
    ),
    Buffer.from(unit.repeat(Math.ceil(bytes / unit.length))),
    Buffer.from(`\r\n--${HOSTILE_BOUNDARY}--\r\n`),
  ]);
}
