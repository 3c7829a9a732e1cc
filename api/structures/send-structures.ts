import { Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import type { TSchema } from 'typebox';
import type { Grant } from '../../shared/db/access/module-grants.ts';
import type { ApiContext } from '../context.ts';
import { SENT, type Answers } from '../http/answer.ts';
import { isKnown } from '../http/request/conditional-request.ts';
import { text } from '../http/schema.ts';
import { sendStream } from '../http/answer/send-stream.ts';
import { resetConnection } from '../http/answer/watch-pace.ts';
import { organizationStructures } from './structure-schemas.ts';
import type { Streamer } from './stream-slots.ts';
import { longText, MEDIA_TYPES, type FoundStructures, type StructuresSource } from './structures-answer.ts';
import { StructuresChangedError } from '../../shared/db/structures/read-structures.ts';
import { GrantWatch, GrantWithdrawnError } from './grant-watch.ts';

/** The answers with structures in their three forms; the two schemas are for JSON and GeoJSON. */
export function structuresAnswers(
  jsonSchema: TSchema,
  geoJsonSchema: TSchema,
  otherHeaders: readonly string[] = [],
): Answers {
  const headers = ['ETag', 'Cache-Control', ...otherHeaders];
  return {
    200: {
      description:
        'The structures, in the form that `Accept` selects: JSON, NDJSON with one organization per line, or GeoJSON.',
      forms: {
        'application/json': { schema: jsonSchema },
        'application/x-ndjson': {
          schema: text('Each line is an OrganizationStructures.'),
          partSchema: organizationStructures,
        },
        'application/geo+json': { schema: geoJsonSchema },
      },
      headers,
    },
    304: { description: 'The caller has this version.', headers },
  };
}

/** Below this size compression costs more than it saves. */
const LEAST_GZIP_BYTES = 1_024;

const compress = promisify(gzip);

interface StructuresCall {
  readonly api: ApiContext;
  readonly request: Request;
  readonly response: Response;
}

/**
 * Answers with structures. For a 304, a HEAD and a body that was sent before only their state is read. A long answer is streamed and needs one of
 * the few slots.
 */
export async function sendStructures(
  call: StructuresCall,
  source: StructuresSource,
  streamer: Streamer,
): Promise<typeof SENT> {
  const { api, request, response } = call;
  const isHead = request.method === 'HEAD';
  const state = await source.find(false);
  const known = isKnown(request, state.etag);
  if (known || isHead) {
    setHeaders(request, response, state);
    response.status(known ? 304 : 200).end();
    return SENT;
  }
  const foundMs = performance.now();
  const found = await withBody(api.structures, source, state);
  setHeaders(request, response, found);
  const isGzip = request.acceptsEncodings(['gzip', 'identity']) === 'gzip';
  if (found.body !== null) {
    noteReads(call, found, found.answer.grants);
    await sendWhole(response, found.body, isGzip);
  } else {
    const freeSlot = api.structures.streamSlots.take(streamer);
    if (isGzip) response.set('Content-Encoding', 'gzip');
    await stream(call, { ...source, ...found, foundMs }, isGzip ? [createGzip()] : []).finally(freeSlot);
  }
  return SENT;
}

/** An answer with its body, if that is short: the state has read it before, or it is read with its state now. */
async function withBody(
  { bodies }: ApiContext['structures'],
  source: StructuresSource,
  state: FoundStructures,
): Promise<FoundStructures> {
  const body = bodies.get(state.etag);
  if (body !== undefined) return { ...state, body };
  const found = await source.find(true);
  if (found.body !== null) bodies.set(found.etag, found.body);
  return found;
}

function setHeaders(request: Request, response: Response, { answer, etag }: FoundStructures): void {
  response.setHeader('Content-Type', MEDIA_TYPES[answer.format]);
  response.setHeader('Cache-Control', 'private, no-cache');
  response.setHeader('ETag', etag);
  response.vary('Accept, Accept-Encoding, X-Api-Key');
  if (answer.nextCursor !== null)
    response.setHeader('Link', `<${nextAddress(request, answer.nextCursor)}>; rel="next"`);
}

async function sendWhole(response: Response, plain: Buffer, isGzip: boolean): Promise<void> {
  const isPacked = isGzip && plain.length >= LEAST_GZIP_BYTES;
  if (isPacked) response.setHeader('Content-Encoding', 'gzip');
  const body = isPacked ? await compress(plain) : plain;
  response.setHeader('Content-Length', body.length).end(body);
}

/** Notes that these organizations' structures are in the answer to a module. */
function noteReads(
  { api, request }: StructuresCall,
  { answer: { moduleId } }: FoundStructures,
  grants: readonly Grant[],
): void {
  if (moduleId === null) return;
  const organizationIds = grants.map(({ organizationId }) => organizationId);
  api.dataReads.note(request, { moduleId, kind: 'structures' }, organizationIds);
}

interface StreamedStructures extends FoundStructures, StructuresSource {
  readonly foundMs: number;
}

/**
 * Streams the answer. If its structures change or its consent is withdrawn meanwhile, the connection is reset, so that
 * no client mistakes a part for the whole, and nothing more of it arrives.
 */
async function stream(
  call: StructuresCall,
  found: StreamedStructures,
  through: readonly Transform[],
): Promise<void> {
  const { api, response } = call;
  const { answer, foundMs, findStillGranted } = found;
  const cutOff = (cause: unknown) => {
    api.log.info({ err: cause, moduleId: answer.moduleId }, 'structures stream reset');
    resetConnection(response);
  };
  const ids = answer.grants.map(({ organizationId }) => organizationId);
  const watch =
    findStillGranted === undefined ? null : new GrantWatch(ids, foundMs, findStillGranted, cutOff);
  const pieces = longText(api.structures.reader, answer, async (index) => {
    const mayRead = (await watch?.mayRead(index)) ?? true;
    if (mayRead) noteReads(call, found, answer.grants.slice(index, index + 1));
    return mayRead;
  });
  try {
    await sendStream(
      { api, response, authority: null },
      Readable.from(pieces, { highWaterMark: 2 }),
      ...through,
    );
  } catch (error) {
    if (!(error instanceof StructuresChangedError || error instanceof GrantWithdrawnError)) throw error;
    cutOff(error);
  } finally {
    watch?.stop();
  }
}

function nextAddress(request: Request, cursor: string): string {
  const address = new URL(request.originalUrl, 'http://unused');
  address.searchParams.set('cursor', cursor);
  return address.pathname + address.search;
}
