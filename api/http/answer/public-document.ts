import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { Type } from 'typebox';
import { type Answer, json } from '../answer.ts';
import { isKnown } from '../request/conditional-request.ts';

const MAX_AGE_SECONDS = 300;
const HEADERS = ['ETag', 'Cache-Control', 'Access-Control-Allow-Origin'];

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

/** A document that does not change while the process runs, readable from any origin. */
export class PublicDocument {
  readonly #body: Buffer;
  readonly #mediaType: string;
  readonly #etag: string;
  /** Hexadecimal. */
  readonly sha256: string;

  constructor(body: Buffer, mediaType: string) {
    this.#body = body;
    this.#mediaType = mediaType;
    const hash = createHash('sha256').update(body).digest();
    this.#etag = `"${hash.toString('base64url')}"`;
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
  send(request: Request, response: Response): void {
    response.set({
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': 'ETag, X-Trace-Id',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'Cache-Control': `public, max-age=${MAX_AGE_SECONDS}`,
      ETag: this.#etag,
    });
    if (isKnown(request, this.#etag)) response.status(304).end();
    else response.type(this.#mediaType).send(this.#body);
  }
}
