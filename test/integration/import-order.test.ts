import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Storage } from '../../shared/storage/storage.ts';
import type { RunningWorker } from '../../worker/run-worker.ts';
import { compareContent } from '../support/compare-content.ts';
import { postponeCollection } from '../support/postpone-collection.ts';
import { samplePackage } from '../support/sample-package.ts';
import { gatedStorage, StepGate } from '../support/step-gate.ts';
import {
  startTestApp,
  type Answer,
  type ImportOptions,
  type TestApp,
  type TestOrganization,
} from '../support/test-app.ts';

const LARGE_PATH = 'PackageArtifact/build/large.bin';

/** An import that was accepted earlier never replaces one that was accepted later. */
let app: TestApp;
let worker: RunningWorker;
let vendor: TestOrganization;
let moduleId: string;
let gate: StepGate;

let storage: Storage;

beforeAll(async () => {
  app = await startTestApp({ worker: false });
  await postponeCollection(app.api.database);
  worker = await app.startWorker();
  ({ storage } = worker.context);
});

afterAll(() => app.stop());

beforeEach(async () => {
  vendor = await app.organization();
  moduleId = randomUUID();
  gate = new StepGate(0);
});

afterEach(() => {
  // Otherwise the worker would wait forever if a test fails halfway.
  gate.open();
  vi.restoreAllMocks();
  Object.assign(worker.context, { storage });
});

/** A version of the module; its text makes it unique. */
const version = (text: string, files = {}) =>
  samplePackage(app.api.catalogue, {
    descriptor: { moduleId },
    files: { 'PackageArtifact/build/index.html': text, ...files },
    stored: [LARGE_PATH],
  });

const upload = (zip: Buffer, options?: ImportOptions) => app.importPackage(vendor, zip, options);

/** Uploads a package and pauses its import at the worker's first call of storage; `end` resumes it. */
async function startPaused(zip: Buffer): Promise<{ end(): Promise<Answer> }> {
  gate = new StepGate(1);
  Object.assign(worker.context, { storage: gatedStorage(worker.context.storage, gate) });
  const pending = upload(zip);
  await gate.reached;
  return {
    end: () => {
      gate.open();
      return pending;
    },
  };
}

function expectSuperseded(answer: Answer, by: Answer): void {
  expect(answer.status, answer.text).toBe(400);
  const detail = expect.stringContaining(by.body.importId as string) as string;
  expect(answer.body.errors).toMatchObject([{ code: 'registry-superseded', detail }]);
}

/** The module has exactly the content of this import, and no later revision exists. */
async function expectCurrent({ body: { importId, revision } }: Answer, zip: Buffer): Promise<void> {
  const { body } = await app.as(vendor).get(`/modules/${moduleId}`);
  expect(body).toMatchObject({ importId, revision, currentRevision: revision });
  const { body: revisions } = await app.as(vendor).get(`/modules/${moduleId}/revisions`);
  expect(revisions.items[0]).toMatchObject({ importId, revision });
  const report = await compareContent(app, vendor, new Map([[importId as string, zip]]));
  expect(report).toMatchObject({ exports: 1, differences: [] });
}

/** Its file is larger than one that is buffered whole. */
const LARGE = { [LARGE_PATH]: randomBytes(2 * 1024 * 1024) };

test.each([
  ['a small one, of a new module', {}, 0],
  ['a small one, of an existing module', {}, 1],
  ['a large one, of a new module', LARGE, 0],
  ['a large one, of an existing module', LARGE, 1],
])(
  'an import that ends after a later accepted one is rejected and names it: %s',
  async (_, files, before) => {
    if (before > 0) expect((await upload(version('first'))).status).toBe(200);
    const earlier = await startPaused(version('earlier', files));
    const zip = version('later');
    const later = await upload(zip);
    expect(later.body).toMatchObject({ outcome: before > 0 ? 'updated' : 'created', revision: before + 1 });
    expectSuperseded(await earlier.end(), later);
    await expectCurrent(later, zip);
  },
);

test('a superseded package that is uploaded again, as its message says, replaces the later one', async () => {
  const zip = version('earlier');
  const earlier = await startPaused(zip);
  const later = await upload(version('later'));
  const superseded = await earlier.end();
  expectSuperseded(superseded, later);
  expect(superseded.body.errors[0].detail).toContain('Upload the package again if it is still wanted.');
  const again = await upload(zip);
  expect(again.body).toMatchObject({ outcome: 'updated', revision: 2 });
  await expectCurrent(again, zip);
});

/** Makes the next object that is read unavailable; `comeBack` ends that. */
function loseNextObject(storage: Storage): { readonly isMissed: Promise<void>; comeBack(): void } {
  let lost: string | null = null;
  let isBack = false;
  let reportMissed: () => void = () => undefined;
  const isMissed = new Promise<void>((resolve) => {
    reportMissed = resolve;
  });
  const find = (key: string) => {
    lost ??= key;
    if (key !== lost || isBack) return;
    reportMissed();
    throw new Error('the object is unavailable');
  };
  const [read, stream] = [storage.read.bind(storage), storage.stream.bind(storage)];
  vi.spyOn(storage, 'read').mockImplementation(async (key, ...range) => {
    find(key);
    return read(key, ...range);
  });
  vi.spyOn(storage, 'stream').mockImplementation(async (key, ...range) => {
    find(key);
    return stream(key, ...range);
  });
  return {
    isMissed,
    comeBack: () => {
      isBack = true;
    },
  };
}

test('an import whose first attempts failed is rejected if a later accepted one has succeeded', async () => {
  const { isMissed, comeBack } = loseNextObject(worker.context.storage);
  const earlier = upload(version('earlier'));
  await isMissed;
  const zip = version('later');
  const later = await upload(zip);
  expect(later.status, later.text).toBe(200);
  comeBack();
  expectSuperseded(await earlier, later);
  await expectCurrent(later, zip);
});

test('an import that ends after one with the same content changes nothing, so it does not replace it', async () => {
  const zip = version('the same');
  const earlier = await startPaused(zip);
  const later = await upload(zip);
  const answer = await earlier.end();
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toMatchObject({ outcome: 'unchanged', revision: later.body.revision as number });
  await expectCurrent(later, zip);
});

test('a later import that changed nothing still counts as accepted: an earlier one does not replace the module', async () => {
  const zip = version('first');
  const first = await upload(zip);
  const earlier = await startPaused(version('earlier'));
  const later = await upload(zip);
  expect(later.body).toMatchObject({ outcome: 'unchanged' });
  expectSuperseded(await earlier.end(), later);
  await expectCurrent(first, zip);
});

test.each([
  ['was rejected', { 'stray.txt': 'x' }, {}, 400],
  ['only validated its package', {}, { query: '?validateOnly=true' }, 200],
])('a later import that %s supersedes nothing', async (_, files, options, status) => {
  const zip = version('earlier');
  const earlier = await startPaused(zip);
  expect((await upload(version('later', files), options)).status).toBe(status);
  const answer = await earlier.end();
  expect(answer.status, answer.text).toBe(200);
  await expectCurrent(answer, zip);
});

test('a later import of another module supersedes nothing', async () => {
  const zip = version('earlier');
  const earlier = await startPaused(zip);
  expect((await upload(samplePackage(app.api.catalogue))).status).toBe(200);
  const answer = await earlier.end();
  expect(answer.status, answer.text).toBe(200);
  await expectCurrent(answer, zip);
});
