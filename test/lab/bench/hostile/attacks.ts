import { createHash, randomBytes } from 'node:crypto';
import http from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { loadCatalogue } from '../../../../shared/catalogue/catalogue.ts';
import { samplePackage } from '../../../support/sample-package.ts';
import { UPLOAD_TYPE, uploadBody } from '../import/service.ts';

/** The hostile organization: an account as a vendor and one as a farmer. */
export interface HostileOrganization {
  readonly url: string;
  readonly vendorId: string;
  readonly vendorToken: string;
  readonly farmerId: string;
  readonly farmerToken: string;
  readonly moduleId: string;
  readonly keys: readonly string[];
}

/** Sends one request of an attack; resolves with its status, 0 where no answer came. */
type Attack = (target: HostileOrganization, lane: number) => Promise<number>;

/** An attack, and how many of its requests are under way at once. */
export interface HostileAttack {
  readonly name: string;
  readonly lanes: number;
  readonly send: Attack;
}

const BODY_BYTES = 10_000_000;
const DEPTH = 62;
const KEYS = 820_000;
const PREAMBLE_BYTES = 64 * 1024 * 1024;
const PREAMBLE_PIECE = Buffer.alloc(64 * 1024, 'x');
const READ_BYTES = 2_048;
const READ_EVERY_MS = 5_000;
/** A reader, or a stream of events, that is left alone stays this long at most. */
const MAX_STAY_MS = 120_000;
const SVG_BYTES = 10_000_000;
/** After which browsers open a stream of events again that has ended. */
const RECONNECT_MS = 3_000;

const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity });

interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Starts a request; resolves with its answer, null where none comes. */
function open({ url }: HostileOrganization, call: Call, write: (request: http.ClientRequest) => void) {
  return new Promise<http.IncomingMessage | null>((resolve) => {
    const request = http.request(url + call.path, { agent, method: call.method, headers: call.headers });
    const end = () => resolve(null);
    request.setTimeout(MAX_STAY_MS, () => request.destroy());
    request.on('error', end).on('close', end).on('response', resolve);
    write(request);
  });
}

async function send(target: HostileOrganization, call: Call, body: Buffer): Promise<number> {
  const headers = { ...call.headers, 'Content-Length': String(body.length) };
  const answer = await open(target, { ...call, headers }, (request) => request.end(body));
  answer?.resume();
  return answer?.statusCode ?? 0;
}

function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => (made ??= { value: make() }).value;
}

/** Arrays in arrays, and in the innermost as many strings with a refused character as there is room for. */
const deepBody = lazily(() => {
  const refused = '"\\u0000",';
  const strings = refused.repeat(Math.floor(BODY_BYTES / refused.length) - DEPTH);
  const levels = DEPTH - 2;
  return Buffer.from(`{"farms":${'['.repeat(levels)}${strings}""${']'.repeat(levels)}}`);
});

const wideBody = lazily(() => {
  const members = Array.from({ length: KEYS }, (_, index) => `"k${index.toString(36)}":0`);
  return Buffer.from(`{${members.join(',')}}`);
});

const plainBody = Buffer.from('{"farms":[]}');

const svgForm = lazily(() => {
  const processing = '<?a?>'.repeat(SVG_BYTES / 5);
  const logo = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${processing}</svg>`);
  return uploadBody(samplePackage(loadCatalogue(), { files: { 'ModuleLogo/logo.svg': logo } }));
});

/** Makes the bodies, which takes seconds, before the attacks start. */
export function prepareBodies(): void {
  for (const body of [deepBody, wideBody, svgForm]) body();
}

function putStructures({ farmerId, farmerToken }: HostileOrganization): Call {
  return {
    method: 'PUT',
    path: `/api/v8.0/${farmerId}/structures`,
    headers: { Authorization: `Bearer ${farmerToken}`, 'Content-Type': 'application/json' },
  };
}

function upload({ vendorId, vendorToken }: HostileOrganization, type = UPLOAD_TYPE): Call {
  return {
    method: 'POST',
    path: `/api/v8.0/${vendorId}/ImportModuleAsync`,
    headers: { Authorization: `Bearer ${vendorToken}`, 'Content-Type': type, Prefer: 'respond-async' },
  };
}

/** The import whose events are streamed: the last one that was accepted. */
let lastImport: string | null = null;

async function sendSvg(target: HostileOrganization): Promise<number> {
  const form = svgForm();
  const call = upload(target);
  const headers = { ...call.headers, 'Content-Length': String(form.length) };
  const answer = await open(target, { ...call, headers }, (request) => request.end(form));
  lastImport = answer?.headers.location ?? lastImport;
  answer?.resume();
  return answer?.statusCode ?? 0;
}

/** Reads two kilobytes every five seconds. */
async function readSlowly(target: HostileOrganization, lane: number): Promise<number> {
  const key = target.keys[lane % target.keys.length] ?? '';
  const path = `/api/v8.0/Alerts/StructuresByModuleId/${target.moduleId}`;
  const headers = { 'X-Api-Key': key };
  const answer = await open(target, { method: 'GET', path, headers }, (request) => request.end());
  if (answer === null) return 0;
  const endMs = Date.now() + MAX_STAY_MS;
  answer.on('error', () => undefined);
  while (answer.statusCode === 200 && !answer.destroyed && !answer.readableEnded && Date.now() < endMs) {
    answer.read(READ_BYTES);
    await setTimeout(READ_EVERY_MS);
  }
  answer.destroy();
  return answer.statusCode ?? 0;
}

async function streamEvents(target: HostileOrganization): Promise<number> {
  if (lastImport === null) return -1;
  const path = `${lastImport}/events`;
  const headers = { Authorization: `Bearer ${target.vendorToken}`, Accept: 'text/event-stream' };
  const answer = await open(target, { method: 'GET', path, headers }, (request) => request.end());
  if (answer === null) return 0;
  await new Promise<void>((resolve) => {
    answer.resume().on('error', () => undefined);
    answer.on('close', () => resolve());
  });
  await setTimeout(RECONNECT_MS);
  return answer.statusCode ?? 0;
}

/** Sends what precedes the first part, and never the part. */
async function sendPreamble(target: HostileOrganization): Promise<number> {
  const boundary = createHash('sha256').update(randomBytes(8)).digest('hex');
  const call = upload(target, `multipart/form-data; boundary=${boundary}`);
  let sentBytes = 0;
  const answer = await open(target, call, (request) => {
    const write = () => {
      while (!request.destroyed && sentBytes < PREAMBLE_BYTES) {
        sentBytes += PREAMBLE_PIECE.length;
        if (!request.write(PREAMBLE_PIECE)) return;
      }
      request.end();
    };
    request.on('drain', write);
    request.on('response', () => {
      sentBytes = PREAMBLE_BYTES;
    });
    write();
  });
  answer?.resume();
  return answer?.statusCode ?? 0;
}

/** All at once, each again and again. */
export const HOSTILE_ATTACKS: readonly HostileAttack[] = [
  {
    name: 'deep refused JSON of 10 MB',
    lanes: 1,
    send: (target) => send(target, putStructures(target), deepBody()),
  },
  {
    name: 'JSON of 820,000 keys',
    lanes: 4,
    send: (target) => send(target, putStructures(target), wideBody()),
  },
  {
    name: 'writes that wait for a locked row',
    lanes: 10,
    send: (target) => send(target, putStructures(target), plainBody),
  },
  { name: 'slow readers, four keys', lanes: 8, send: readSlowly },
  { name: 'SVG of processing instructions', lanes: 4, send: sendSvg },
  { name: 'streams of events', lanes: 400, send: streamEvents },
  { name: 'endless multipart preamble', lanes: 4, send: sendPreamble },
];
