import type { Answer, Parameter } from './operation.ts';
import { header, IF_NONE_MATCH } from './parameters.ts';

const TEXT = { type: 'string' };
const HEADERS = ['ETag', 'Cache-Control', 'Accept-Ranges'];

/** Headers of a request for a range of bytes. */
export const RANGE_PARAMETERS: readonly Parameter[] = [
  header('Range', 'One range of bytes, such as `bytes=0-1023` (RFC 9110, 14.2).', TEXT),
  header('If-Range', 'The `ETag` that the range is of.', TEXT),
];

/** Headers of requests for files. */
export const FILE_PARAMETERS: readonly Parameter[] = [
  IF_NONE_MATCH,
  header(
    'Accept-Encoding',
    'With `gzip`, a file that is deflated in the package comes as it is there.',
    TEXT,
  ),
  ...RANGE_PARAMETERS,
];

/** Bytes have no schema (OpenAPI 3.1, 4.8.14.3). */
const BYTES = { '*/*': { schema: {} } };

/** Answers with the bytes of a vendor's file. */
export const FILE_ANSWERS: Readonly<Record<number, Answer>> = {
  200: {
    description: 'The file, with its own media type; as gzip where that was accepted.',
    forms: BYTES,
    headers: [...HEADERS, 'Content-Disposition'],
  },
  206: {
    description: 'The requested range, of a file that is not compressed in the package.',
    forms: BYTES,
    headers: [...HEADERS, 'Content-Disposition', 'Content-Range'],
  },
  304: { description: 'The caller has this version.', headers: HEADERS },
  416: { description: 'The file is shorter than that.', headers: [...HEADERS, 'Content-Range'] },
};
