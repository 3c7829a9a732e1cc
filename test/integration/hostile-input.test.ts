import { Writable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { afterEach, expect, vi } from 'vitest';
import { ThreadPool } from '../../shared/threads/thread-pool.ts';
import { HOSTILE_BODIES } from '../support/hostile-inputs/hostile-bodies.ts';
import { HOSTILE_BOUNDARY, HOSTILE_UPLOADS, hostileForm } from '../support/hostile-inputs/hostile-uploads.ts';
import { samplePackage } from '../support/sample-package.ts';
import { serviceTest } from '../support/service-test.ts';

/*
 * Hostile input never blocks an event loop: one input of each class, and where its work is done.
 * `npm run bench -- stalls` sends all of them, and measures.
 */
const test = serviceTest();

const KIB = 1024;
/** The largest input that the event loop reads itself. */
const MAX_BYTES_HERE = 16 * KIB;
const LARGE_BYTES = 4 * MAX_BYTES_HERE;

/** Counts the sessions of threads, and keeps the longest text that this thread has parsed. */
function watchThreads() {
  const use = vi.spyOn(ThreadPool.prototype, 'use');
  const parse = vi.spyOn(JSON, 'parse');
  return {
    sessions: () => use.mock.calls.length,
    longestHere: () => Math.max(0, ...parse.mock.calls.map(([text]) => text.length)),
  };
}

afterEach(() => {
  vi.restoreAllMocks();
});

/** Each is read by the same tasks. */
const BODIES = HOSTILE_BODIES.filter(([title]) =>
  /^(?:refused strings|farms without|text that is not)/.test(title),
);

test.for(BODIES)('a JSON body of %s is read by a thread', async ([, bodyOf], { app, farmer }) => {
  const body = bodyOf(LARGE_BYTES);
  const headers = { Authorization: farmer.admin, 'Content-Type': 'application/json' };
  const watch = watchThreads();
  const answer = await fetch(`${app.url}/api/v8.0/${farmer.id}/structures`, { method: 'PUT', body, headers });
  expect(answer.status, await answer.text()).toBe(400);
  expect(watch.sessions()).toBe(1);
  expect(watch.longestHere()).toBeLessThanOrEqual(MAX_BYTES_HERE);
});

/** A file of each kind that is parsed, larger than what the event loop validates itself. */
const LARGE_FILES = [
  ['moduleSchema.json', '['],
  ['ModuleSpecificRolesEntitiesDefinition/roles.json', '['],
  ['AlertRuleDefinitionFile/alert-rules.yaml', '#\n'],
  ['ModuleImage/hostile.svg', '<!---->'],
  ['ModuleToS/terms.html', '<a /on'],
] as const;

test.for(LARGE_FILES)(
  'of a package, a large %s is validated by a thread',
  async ([path, unit], { app, vendor }) => {
    const zip = samplePackage(app.api.catalogue, { files: { [path]: unit.repeat(LARGE_BYTES) } });
    const watch = watchThreads();
    const { status, text } = await app.importPackage(vendor, zip, { query: '?validateOnly=true' });
    expect([200, 400], text).toContain(status);
    expect(watch.sessions()).toBe(1);
  },
);

test('a multipart body is split into its parts in pieces of at most 64 KiB', async ({ app, vendor }) => {
  const bytes = 32 * 64 * KIB;
  for (const [title, unit] of HOSTILE_UPLOADS) {
    const write = vi.spyOn(Writable.prototype, 'write');
    const { status } = await app.fetch(`/api/v8.0/${vendor.id}/ImportModuleAsync`, {
      method: 'POST',
      body: hostileForm(unit, bytes),
      headers: {
        Authorization: vendor.admin,
        'Content-Type': `multipart/form-data; boundary=${HOSTILE_BOUNDARY}`,
      },
    });
    expect([title, status]).toEqual([title, 400]);
    const pieces = write.mock.calls
      .filter((_, index) => write.mock.contexts[index] instanceof Busboy)
      .map(([piece]) => Buffer.byteLength(piece as Buffer));
    write.mockRestore();
    // As a socket hands them over.
    expect(Math.max(...pieces), title).toBeLessThanOrEqual(64 * KIB);
    expect(
      pieces.reduce((sum, each) => sum + each, 0),
      title,
    ).toBeGreaterThan(bytes);
  }
});

test('the files of a revision are written by statements of at most 1,000', async ({ app, vendor }) => {
  const names = Array.from({ length: 1_500 }, (_, index) => `PackageArtifact/build/${index}`);
  const zip = samplePackage(app.api.catalogue, {
    files: Object.fromEntries(names.map((name) => [name, ''])),
  });
  const worker = await app.startWorker();
  const longest: number[] = [];
  worker.context.database.on('query', ({ bindings = [] }: { bindings?: readonly unknown[] }) => {
    const lists = bindings.filter((each) => Array.isArray(each)).map((each) => each.length);
    if (lists.length > 0) longest.push(Math.max(...lists));
  });
  const { status, text } = await app.importPackage(vendor, zip);
  await worker.stop();
  expect(status, text).toBe(200);
  expect(Math.max(...longest)).toBeLessThanOrEqual(1_000);
});
