import type { Answer, Parameter } from './operation.ts';
import { header, IF_NONE_MATCH } from './parameters.ts';

const TEXT = { type: 'string' };
const HEADERS = ['ETag', 'Cache-Control', 'Accept-Ranges'];

/** Headers of requests for files. */
export const FILE_PARAMETERS: readonly Parameter[] = [
  IF_NONE_MATCH,
  header('Range', 'One range of bytes, such as `bytes=0-1023` (RFC 9110, 14.2).', TEXT),
  header('If-Range', 'The `ETag` that the range is of.', TEXT),
];

/** Bytes have no schema (OpenAPI 3.1, 4.8.14.3). */
const BYTES = { '*/*': { schema: {} } };

/** Answers with the bytes of a vendor's file. */
export const FILE_ANSWERS: Readonly<Record<number, Answer>> = {
  200: {
    description: 'The file, with its own media type.',
    forms: BYTES,
    headers: [...HEADERS, 'Content-Disposition'],
  },
  206: {
    description: 'The range that was asked for.',
    forms: BYTES,
    headers: [...HEADERS, 'Content-Disposition', 'Content-Range'],
  },
  304: { description: 'The caller has this version.', headers: HEADERS },
  416: { description: 'The file is shorter than that.', headers: [...HEADERS, 'Content-Range'] },
};
