import { expect } from 'vitest';
import { HOSTILE_BODIES } from '../support/hostile-inputs/hostile-bodies.ts';
import { HOSTILE_DIRECTORIES, mostFiles } from '../support/hostile-inputs/hostile-directories.ts';
import type { HostileDirectory } from '../support/hostile-inputs/hostile-directories.ts';
import { HOSTILE_FILES } from '../support/hostile-inputs/hostile-files.ts';
import { HOSTILE_BOUNDARY, HOSTILE_UPLOADS, hostileForm } from '../support/hostile-inputs/hostile-uploads.ts';
import { samplePackage } from '../support/sample-package.ts';
import { compileService, startServiceProcess } from '../support/service-process.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { serviceTest } from '../support/service-test.ts';

/** One organization sends all of it: its part of the threads' time is not what is tested. */
const UNLIMITED = { MAX_THREAD_MS_PER_SECOND_PER_ORGANIZATION: '1000000' };
const test = serviceTest({ worker: false, settings: UNLIMITED });

/** Of the sample package, without its descriptor. */
const SAMPLE_FILES = 7;
const MIB = 1024 * 1024;

/** The limit. It is measured as processor time of the main thread, so that other work on the machine does not count. */
const MAX_STALL_MS = 50;

/** Against hanging for ever: the corpus takes minutes on a busy machine. */
const LONG = { timeout: 1_500_000 };

/** The shortest of three: a collection of garbage, or code that is compiled for the first time, is not the input's. */
async function worstStallMs(service: ServiceProcess, act: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 1; round <= 3 && least > MAX_STALL_MS; round += 1) {
    await service.worstStall();
    await act();
    least = Math.min(least, (await service.worstStall()).worst.processorMs);
  }
  return least;
}

const tooLong = (stalls: Readonly<Record<string, number>>) =>
  Object.entries(stalls).filter(([, ms]) => ms > MAX_STALL_MS);

const endpoint = (api: ServiceProcess, path: string) =>
  `http://127.0.0.1:${api.ready.listening ?? 0}/api/v8.0/${path}`;

const putter = (api: ServiceProcess) => (farmer: { id: string; admin: string }, body: string) =>
  fetch(endpoint(api, `${farmer.id}/structures`), {
    method: 'PUT',
    body,
    headers: { Authorization: farmer.admin, 'Content-Type': 'application/json' },
  });

test('no JSON body blocks the event loop of the API for more than 50 ms', async ({ app, farmer }) => {
  await compileService();
  const api = await startServiceProcess('api', app.environment, { watchLoop: true });
  const put = putter(api);
  const stalls: Record<string, number> = {};
  for (const [title, body] of HOSTILE_BODIES) {
    const text = body(MIB);
    stalls[title] = await worstStallMs(api, async () => {
      const answer = await put(farmer, text);
      expect(answer.status, `${title}: ${await answer.text()}`).toBe(400);
    });
  }
  expect(tooLong(stalls)).toEqual([]);
  await api.stop();
});

test('no multipart body blocks the event loop of the API for more than 50 ms', async ({ app, vendor }) => {
  await compileService();
  const api = await startServiceProcess('api', app.environment, { watchLoop: true });
  const stalls: Record<string, number> = {};
  for (const [title, unit] of HOSTILE_UPLOADS) {
    const body = hostileForm(unit, 8 * MIB);
    stalls[title] = await worstStallMs(api, async () => {
      const answer = await fetch(endpoint(api, `${vendor.id}/ImportModuleAsync`), {
        method: 'POST',
        body,
        headers: {
          Authorization: vendor.admin,
          'Content-Type': `multipart/form-data; boundary=${HOSTILE_BOUNDARY}`,
          Prefer: 'respond-async',
        },
      });
      expect(answer.status, `${title}: ${await answer.text()}`).toBe(202);
    });
  }
  expect(tooLong(stalls)).toEqual([]);
  await api.stop();
});

test(
  'no file and no directory of a package blocks the event loop of a worker for more than 50 ms',
  LONG,
  async ({ app, vendor }) => {
    await compileService();
    const worker = await startServiceProcess('worker', app.environment, { watchLoop: true });
    const packages: HostileDirectory[] = [
      ...HOSTILE_DIRECTORIES,
      ...HOSTILE_FILES.map(([title, path, content]): HostileDirectory => [
        title,
        () => samplePackage(app.api.catalogue, { files: { [path]: content() } }),
      ]),
    ];
    const stalls: Record<string, number> = {};
    for (const [title, make] of packages) {
      const zip = make();
      stalls[title] = await worstStallMs(worker, async () => {
        const { status } = await app.importPackage(vendor, zip, { query: '?validateOnly=true' });
        expect([200, 400], title).toContain(status);
      });
    }
    expect(tooLong(stalls)).toEqual([]);
    await worker.stop();
  },
);

test(
  'no module of as many files as are allowed blocks an event loop for more than 50 ms',
  LONG,
  async ({ app, vendor }) => {
    await compileService();
    const worker = await startServiceProcess('worker', app.environment, { watchLoop: true });
    const files = mostFiles(SAMPLE_FILES + 1);
    const packageOf = (descriptor: Readonly<Record<string, unknown>>) =>
      samplePackage(app.api.catalogue, { descriptor, files });
    const outcomes: unknown[] = [];
    const imported = async (zip: Buffer) => {
      const { status, body } = await app.importPackage(vendor, zip);
      expect(status, JSON.stringify(body)).toBeLessThan(300);
      outcomes.push(body.outcome);
      return String(body.moduleId);
    };
    let moduleId = '';
    const stalls: Record<string, number> = {};
    const created = packageOf({});
    stalls['created'] = await worstStallMs(worker, async () => (moduleId = await imported(created)));
    const same = packageOf({ moduleId });
    stalls['unchanged'] = await worstStallMs(worker, async () => imported(same));
    let scope = 0;
    stalls['updated'] = await worstStallMs(worker, async () =>
      imported(packageOf({ moduleId, scope: `scope-${(scope += 1)}` })),
    );
    expect(tooLong(stalls)).toEqual([]);
    expect([...new Set(outcomes)]).toEqual(['created', 'unchanged', 'updated']);
    await worker.stop();
    const api = await startServiceProcess('api', app.environment, { watchLoop: true });
    const read = async (path: string) => {
      const answer = await fetch(endpoint(api, path), { headers: { Authorization: vendor.admin } });
      expect(answer.status).toBe(200);
      return Buffer.from(await answer.arrayBuffer());
    };
    const reads: Record<string, number> = {};
    for (const path of [
      `modules/${moduleId}`,
      `modules/${moduleId}/revisions`,
      `ExportModuleAsync/${moduleId}`,
    ])
      reads[path] = await worstStallMs(api, () => read(`${vendor.id}/${path}`));
    expect(tooLong(reads)).toEqual([]);
    const module = JSON.parse((await read(`${vendor.id}/modules/${moduleId}`)).toString()) as {
      files: readonly { path: string }[];
    };
    const paths = new Set(module.files.map(({ path }) => path));
    expect(Object.keys(files).filter((path) => !paths.has(path))).toEqual([]);
    expect([module.files.length, paths.size]).toEqual([paths.size, Object.keys(files).length + SAMPLE_FILES]);
    await api.stop();
  },
);
