import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { Type } from 'typebox';
import { type Answer, json, SENT } from '../answer.ts';
import { isKnown } from '../request/conditional-request.ts';

const MAX_AGE_SECONDS = 300;
const HEADERS = ['ETag', 'Cache-Control', 'Access-Control-Allow-Origin', 'Vary'];

const KNOWN: Answer<undefined> = { description: 'The caller has this version.', headers: HEADERS };

/** The answers of an endpoint that sends a public document of JSON. */
export function publicDocumentAnswers(description: string) {
  return { 200: json(description, Type.Unsafe<object>({ type: 'object' }), HEADERS), 304: KNOWN };
}

/** The answers of an endpoint that sends a public document of another type. */
export function publicTextAnswers(description: string, mediaType: string) {
  const forms = { [mediaType]: { schema: Type.String() } };
  const answer: Answer<undefined> = { description, forms, headers: HEADERS };
  return { 200: answer, 304: KNOWN };
}

const compress = promisify(gzip);

/** A document that does not change while the process runs, readable from any origin. */
export class PublicDocument {
  readonly #body: Buffer;
  readonly #mediaType: string;
  readonly #etag: string;
  #gzipped: Promise<Buffer> | null = null;
  /** Hexadecimal. */
  readonly sha256: string;

  constructor(body: Buffer, mediaType: string) {
    this.#body = body;
    this.#mediaType = mediaType;
    const hash = createHash('sha256').update(body).digest();
    // Weak: the compressed form has it too.
    this.#etag = `W/"${hash.toString('base64url')}"`;
    this.sha256 = hash.toString('hex');
  }

  get sizeBytes(): number {
    return this.#body.length;
  }

  /** A document of JSON. */
  static json(document: object): PublicDocument {
    return new PublicDocument(Buffer.from(JSON.stringify(document, null, 2)), 'application/json');
  }

  /** Answers with the document, or with 304. */
  async send(request: Request, response: Response): Promise<typeof SENT> {
    response.set({
      Vary: 'Accept-Encoding',
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': 'ETag, X-Trace-Id',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'Cache-Control': `public, max-age=${MAX_AGE_SECONDS}`,
      ETag: this.#etag,
    });
    if (isKnown(request, this.#etag)) {
      response.status(304).end();
    } else if (request.acceptsEncodings('gzip', 'identity') === 'gzip') {
      this.#gzipped ??= compress(this.#body);
      const body = await this.#gzipped;
      response.type(this.#mediaType).set('Content-Encoding', 'gzip').send(body);
    } else {
      response.type(this.#mediaType).send(this.#body);
    }
    return SENT;
  }
}
