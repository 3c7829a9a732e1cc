import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { Type } from 'typebox';
import type { Answer } from './answer.ts';
import { json } from './answer.ts';
import { isKnown } from './conditional.ts';

const MAX_AGE_SECONDS = 300;
const HEADERS = ['ETag', 'Cache-Control', 'Access-Control-Allow-Origin'];

/** The answers of an endpoint that sends a public document. */
export function publicDocumentAnswers(description: string) {
  const known: Answer<undefined> = { description: 'The caller has this version.', headers: HEADERS };
  return { 200: json(description, Type.Unsafe<object>({ type: 'object' }), HEADERS), 304: known };
}

/** A JSON document that does not change while the process runs, readable from any origin. */
export class PublicDocument {
  readonly #body: Buffer;
  readonly #etag: string;

  constructor(document: object) {
    this.#body = Buffer.from(JSON.stringify(document, null, 2));
    this.#etag = `"${createHash('sha256').update(this.#body).digest('base64url')}"`;
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
    else response.type('json').send(this.#body);
  }
}
