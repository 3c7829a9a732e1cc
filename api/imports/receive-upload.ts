import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { Request, Response } from 'express';
import { currentOwner } from '../../shared/limits/owner.ts';
import { inSpan } from '../../shared/telemetry/tracing.ts';
import type { ApiContext } from '../context.ts';
import type { Body } from '../http/request/json-body.ts';
import { binary, inputObject } from '../http/schema.ts';
import { ProblemError } from '../http/problem.ts';
import { currentSpan } from '../../shared/telemetry/current-span.ts';
import { watchPace, LEAST_BYTES_PER_SECOND } from '../http/answer/watch-pace.ts';
import type { UploadResult } from '../operations/api-metrics.ts';
import { StorageError, tooLarge, UploadReceiver, type Upload, type UploadTarget } from './upload-receiver.ts';
import type { FairSlots } from '../../shared/limits/fair-slots.ts';

/** With this pace the largest package of 1 GiB takes little more than an hour instead of eighteen. */
const SLOWEST_WHILE_SHORT = 256 * 1024;

/** Slots are short when less than a quarter of them is free. */
const SHORT_FROM = 3 / 4;
/** The part of the slots that an organization may hold with slow uploads while slots are short. */
const SLOW_PART = 1 / 8;

/**
 * The least bytes per second of an organization's uploads. Two organizations could otherwise hold every slot for
 * eighteen hours with 2 MiB/s. While slots are short, an organization that holds more than an eighth of them must send
 * faster: to hold all of them with slow uploads then takes eight organizations.
 */
export function leastUploadPace(
  slots: Pick<FairSlots, 'taken' | 'takenBy'>,
  maxUploads: number,
  organizationId: string,
): number {
  const isShort = slots.taken() > maxUploads * SHORT_FROM;
  return isShort && slots.takenBy(organizationId) > maxUploads * SLOW_PART
    ? SLOWEST_WHILE_SHORT
    : LEAST_BYTES_PER_SECOND;
}

/** Maximum size of multipart framing around a file: boundaries, part headers, preamble, epilogue, other parts. */
const FRAMING_BYTES = 64 * 1024;

/** The multipart body of an upload. The handler reads it after the checks of rate and slot. */
export const PACKAGE_BODY: Body<undefined> = {
  description: 'One field named `file` with the ZIP. Only its content matters, not its name.',
  required: true,
  forms: {
    'multipart/form-data': {
      schema: inputObject('PackageUpload', 'The fields of an upload.', {
        file: binary('The package, a ZIP.'),
      }),
      encoding: { file: { contentType: 'application/zip, application/octet-stream' } },
    },
  },
  problems: ['request-file-missing', 'request-invalid', 'request-too-large', 'request-too-slow'],
  reader: () => () => Promise.resolve(undefined),
};

/** Receives the package of a request and measures the upload. @throws what `receiveUpload` throws. */
export async function receivePackage(api: ApiContext, request: Request, response: Response): Promise<Upload> {
  const { uploads, uploadsRunning, uploadBytes } = api.metrics;
  const { config } = api;
  const organizationId = currentOwner();
  const leastPace = () => leastUploadPace(api.imports.uploadSlots, config.imports.maxUploads, organizationId);
  const startedMs = performance.now();
  let result: UploadResult = 'failed';
  uploadsRunning.inc();
  try {
    const upload = await inSpan(api.tracing, 'store upload', currentSpan(), async (span) => {
      const { maxPackageBytes } = api.config.limits;
      const stored = await receiveUpload(request, response, api, maxPackageBytes, leastPace);
      span.setAttribute('import.size_bytes', stored.sizeBytes);
      return stored;
    });
    result = 'stored';
    uploadBytes.inc(upload.sizeBytes);
    return upload;
  } catch (error) {
    if (error instanceof ProblemError) result = 'refused';
    throw error;
  } finally {
    uploadsRunning.dec();
    uploads.observe({ result }, (performance.now() - startedMs) / 1_000);
  }
}

/**
 * Streams the one file of a multipart body to storage and hashes it; it is never whole in memory
 * and never in a temporary file. If anything fails, no object remains.
 * @throws ProblemError 400, 408 or 413.
 */
export async function receiveUpload(
  request: Request,
  response: Response,
  target: UploadTarget,
  maxBytes: number,
  leastBytesPerSecond?: () => number,
): Promise<Upload> {
  refuseByHeaders(request, maxBytes);
  const receiver = new UploadReceiver(target, maxBytes);
  const parser = makeParser(request, receiver);
  const tooSlow = (problem: ProblemError) => receiver.fail(problem);
  const stopWatching = watchPace(request, tooSlow, leastBytesPerSecond);
  const stopFeeding = feed(request, parser, receiver);
  try {
    if (/^100-continue$/i.test(request.get('expect') ?? '')) response.writeContinue();
    return await receiver.upload();
  } catch (error) {
    stopFeeding();
    await receiver.abandon(error);
    throw error instanceof ProblemError || error instanceof StorageError ? error : brokenUpload();
  } finally {
    stopWatching();
  }
}

/**
 * Feeds the body to the parser, to its end or until the returned function is called. Not `pipeline`: that destroys
 * the request when the parser refuses it, and with it the connection for the answer. Not `pipe`: the bytes outside
 * the file are limited here.
 */
function feed(request: Request, parser: BusboyInstance, receiver: UploadReceiver): () => void {
  let receivedBytes = 0;
  const take = (piece: Buffer) => {
    receivedBytes += piece.length;
    if (!parser.write(piece)) request.pause();
    if (receivedBytes - parser.writableLength - receiver.fileBytes > FRAMING_BYTES)
      receiver.fail(tooMuchFraming());
  };
  const disconnected = () => {
    if (!request.readableEnded) receiver.fail(new Error('the client disconnected'));
  };
  let isParsed = false;
  const endOnce = () => {
    if (isParsed && request.readableEnded) receiver.onEnd();
  };
  parser.on('drain', () => request.resume());
  parser.once('finish', () => {
    isParsed = true;
    endOnce();
  });
  request.once('end', () => {
    parser.end();
    endOnce();
  });
  request.on('data', take).once('error', disconnected).once('close', disconnected);
  // Its events may have fired while the caller was checked.
  if (request.destroyed) disconnected();
  return () => request.off('data', take);
}

function refuseByHeaders(request: Request, maxBytes: number): void {
  const contentType = request.get('content-type') ?? '';
  if (!/^multipart\/form-data\s*(?:;|$)/i.test(contentType)) {
    throw new ProblemError(
      'request-file-missing',
      'The body must be multipart/form-data with one field named file. With curl: -F file=@package.zip',
    );
  }
  if (!/;\s*boundary=/i.test(contentType)) throw noBoundary();
  if (Number(request.get('content-length') ?? 0) > maxBytes + FRAMING_BYTES) throw tooLarge(maxBytes);
}

function noBoundary(): ProblemError {
  return new ProblemError(
    'request-file-missing',
    'The Content-Type has no usable boundary, which separates the parts of the body. ' +
      'Let the HTTP client set the Content-Type of the form: do not set it yourself.',
  );
}

function tooMuchFraming(): ProblemError {
  return new ProblemError(
    'request-invalid',
    `The body has more than ${FRAMING_BYTES} bytes beside the file. Send one field, named file, and nothing else.`,
  );
}

function brokenUpload(): ProblemError {
  return new ProblemError(
    'request-invalid',
    'The upload was interrupted or is not well-formed multipart/form-data. Send it again.',
  );
}

/** Whether a part is a file (RFC 7578 section 4.2); one of raw bytes needs no name. */
function isFile(contentType: string | undefined, fileName: string | undefined): boolean {
  return fileName !== undefined || contentType === 'application/octet-stream';
}

/** The field of the package is refused at its start if it is text, and not when it is larger than a text may be. */
function isPartAFile(field: string | undefined, contentType?: string, fileName?: string): boolean {
  return field === 'file' || isFile(contentType, fileName);
}

function makeParser(request: Request, receiver: UploadReceiver): BusboyInstance {
  const contentType = request.get('content-type') ?? '';
  const limits = { fieldSize: 1024, fields: 8, files: 2, parts: 8, headerPairs: 32 };
  let parser: BusboyInstance;
  try {
    parser = new Busboy({ headers: { 'content-type': contentType }, limits, isPartAFile });
  } catch {
    throw noBoundary();
  }
  parser.on('error', (error) => receiver.fail(error instanceof Error ? error : brokenUpload()));
  parser.on('file', (field, file, fileName: string | undefined, _encoding, contentType) =>
    receiver.onFile(field, file, fileName, !isFile(contentType, fileName)),
  );
  parser.on('field', (field: string) => receiver.onField(field));
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
    parser.on(limit, () => receiver.refuse('The body has more than one field.'));
  }
  return parser;
}
