import { expect, onTestFinished, vi } from 'vitest';
import { COMMENT_MS } from '../../api/http/answer/event-stream.ts';
import { recordChange } from '../../shared/db/changes/record-changes.ts';
import { deleteOldChanges } from '../../shared/db/ended-rows.ts';
import { importSample } from '../support/import-sample.ts';
import { install, makeAlertSource, makeModule, putFarms, sampleFarm } from '../support/machine-access.ts';
import type { TestModule } from '../support/caller.ts';
import { serviceTest } from '../support/service-test.ts';
import type { Answer, TestApp } from '../support/test-app.ts';
import { LONG_SUBJECT, makeChanges } from '../support/webhook-module.ts';

const test = serviceTest({
  settings: { MAX_REQUESTS_PER_MINUTE_PER_KEY: '0' },
  config: { streams: { maxEventStreamsPerOrganization: 3 } },
});
const CALL = '/ChangesByModuleId';
const ALL = `${CALL}?cursor=0`;
/** The changes that a stream reads at once. */
const PAGE = 5;

interface Item {
  readonly id: string;
  readonly cursor: string;
  readonly type: string;
  readonly organizationId: string | null;
}

const itemsOf = ({ status, text, body }: Answer) => {
  expect(status, text).toBe(200);
  return body.items as readonly Item[];
};
const typesOf = (answer: Answer) => itemsOf(answer).map(({ type }) => type);

async function newestCursor(app: TestApp, module: TestModule): Promise<string> {
  return (await app.as(module).get(CALL)).body.nextCursor as string;
}

async function installed(app: TestApp, areas?: readonly string[]) {
  const vendor = await app.organization();
  const module = await makeModule(app, vendor);
  const farmer = await app.organization({ kind: 'farmer', tenantId: vendor.tenantId });
  await install(app, farmer, module.moduleId, areas);
  return { vendor, module, farmer };
}

test('the feed has what its calls have just changed, in order, and the same again from one cursor', async ({
  app,
}) => {
  const { module, farmer } = await installed(app);
  await putFarms(app, farmer, [sampleFarm()]);
  const first = await app.as(module).get(ALL);
  expect(itemsOf(first).map(({ type, organizationId }) => [type, organizationId])).toEqual([
    ['revision.released', null],
    ['import.ended', null],
    ['installation.created', farmer.id],
    ['structures.changed', farmer.id],
  ]);
  expect((await app.as(module).get(ALL)).body.items).toEqual(first.body.items);
  const cursor = itemsOf(first)[0]?.cursor ?? '';
  expect((await app.as(module).get(`${CALL}?cursor=${cursor}`)).body.items).toEqual(
    (first.body.items as unknown[]).slice(1),
  );
  const rest = await app.as(module).get(`${CALL}?cursor=${first.body.nextCursor as string}`);
  expect(rest.body).toMatchObject({ items: [], hasMore: false });
});

test('pages follow each other by their cursors, and types select', async ({ app }) => {
  const { module, farmer } = await installed(app);
  for (let n = 0; n < 3; n += 1) await putFarms(app, farmer, [sampleFarm()]);
  const found: string[] = [];
  let cursor = '0';
  for (let hasMore = true; hasMore;) {
    const { body } = await app.as(module).get(`${CALL}?limit=2&cursor=${cursor}`);
    found.push(...(body.items as Item[]).map(({ id }) => id));
    cursor = body.nextCursor as string;
    hasMore = body.hasMore as boolean;
  }
  const all = await app.as(module).get(ALL);
  expect(found).toEqual(itemsOf(all).map(({ id }) => id));
  expect(typesOf(await app.as(module).get(`${ALL}&types=installation.created,rule.created`))).toEqual([
    'installation.created',
  ]);
  expect((await app.as(module).get(`${ALL}&types=farm.sold`)).status).toBe(400);
  expect((await app.as(module).get(`${CALL}?cursor=x`)).status).toBe(400);
});

test('changes of structures and rules are shown while the farmer grants their data area, and not otherwise', async ({
  app,
}) => {
  const { module, farmer, ruleId } = await makeAlertSource(app);
  const read = async () => [
    ...new Set((await app.as(module).get(ALL)).body.items.map(({ type }: Item) => type.split('.')[0])),
  ];
  expect(ruleId).toBeDefined();
  expect(await read()).toEqual(['revision', 'import', 'installation', 'structures', 'rule']);
  await install(app, farmer, module.moduleId, ['FarmOrganizationAlerts']);
  expect(await read()).toEqual(['revision', 'import', 'installation', 'rule']);
  await install(app, farmer, module.moduleId, ['FarmOrganization']);
  expect(await read()).toEqual(['revision', 'import', 'installation', 'structures']);
  await app.as(farmer).delete(`/installations/${module.moduleId}`);
  expect(await read()).toEqual(['revision', 'import', 'installation']);
});

test('what a preview of fewer data areas has hidden is not lost: its end is in the feed, also for those who name types', async ({
  app,
}) => {
  const { module, farmer, ruleId } = await makeAlertSource(app);
  const { vendor, moduleId } = module;
  const back = app.as(module);
  await app.as(vendor).patch(`/modules/${moduleId}`, { releasePolicy: 'manual' });
  await importSample(app, vendor, { descriptor: { moduleId, dataAreaIds: [] } });
  const preview = (organizationIds: readonly string[]) =>
    app.as(vendor).put(`/modules/${moduleId}/revisions/2/previewers`, { organizationIds });
  await preview([farmer.id]);
  const cursor = await newestCursor(app, module);
  await app.as(farmer).delete(`/alertRules/${ruleId}`);
  await putFarms(app, farmer, [sampleFarm()]);
  const hidden = await back.get(`${CALL}?cursor=${cursor}`);
  expect(itemsOf(hidden)).toEqual([]);
  await preview([]);
  for (const types of ['', '&types=rule.deleted', '&types=structures.changed']) {
    const later = await back.get(`${CALL}?cursor=${hidden.body.nextCursor as string}${types}`);
    expect(itemsOf(later)).toMatchObject([{ type: 'installation.changed', organizationId: farmer.id }]);
  }
  // Types without a data area come alone.
  const alone = await back.get(`${CALL}?cursor=${hidden.body.nextCursor as string}&types=revision.staged`);
  expect(itemsOf(alone)).toEqual([]);
});

test('a module never reads the changes of another', async ({ app }) => {
  const one = await installed(app);
  const two = await installed(app);
  const ids = async (module: TestModule) => itemsOf(await app.as(module).get(ALL)).map(({ id }) => id);
  const others = await ids(two.module);
  expect((await ids(one.module)).filter((id) => others.includes(id))).toEqual([]);
  expect((await app.as({ ...one.module, moduleId: two.module.moduleId }).get(ALL)).status).toBe(403);
});

test('a call that waits is answered when something changes', async ({ app }) => {
  const { module, farmer } = await installed(app);
  const cursor = await newestCursor(app, module);
  const waiting = app.as(module).get(`${CALL}?cursor=${cursor}`, { Prefer: 'wait=50' });
  await expect.poll(() => app.api.eventSlots.takenBy(module.vendor.id)).toBe(1);
  await putFarms(app, farmer, [sampleFarm()]);
  const answer = await waiting;
  expect(typesOf(answer)).toEqual(['structures.changed']);
  expect(answer.headers.get('preference-applied')).toBe('wait=50');
});

test('a change that no process has notified of wakes a call that waits', async ({ app }) => {
  const { module } = await installed(app);
  const cursor = await newestCursor(app, module);
  const waiting = app.as(module).get(`${CALL}?cursor=${cursor}`, { Prefer: 'wait=50' });
  await expect.poll(() => app.api.eventSlots.takenBy(module.vendor.id)).toBe(1);
  // As a process does that dies after the commit.
  await recordChange(app.api.database, {
    type: 'module.withdrawn',
    moduleId: module.moduleId,
  });
  expect(typesOf(await waiting)).toEqual(['module.withdrawn']);
});

test('a call that waits in vain is answered with no changes and a cursor', async ({ app }) => {
  const { module } = await installed(app);
  const answer = await app.as(module).get(CALL, { Prefer: 'wait=1' });
  expect(answer.body).toMatchObject({ items: [], hasMore: false });
  expect(answer.body.nextCursor).toMatch(/^\d+-[\da-f]{8}$/);
});

test('calls that wait use up only the part of their vendor', async ({ app }) => {
  const { module } = await installed(app);
  const other = await installed(app);
  const over = new AbortController();
  const address = new URL(`/api/v8.0/Alerts${CALL}/${module.moduleId}`, app.url);
  const open = Array.from({ length: 3 }, () =>
    fetch(address, { headers: { 'X-Api-Key': module.key, Prefer: 'wait=50' }, signal: over.signal }).catch(
      () => null,
    ),
  );
  await expect.poll(() => app.api.eventSlots.takenBy(module.vendor.id)).toBe(3);
  expect((await app.as(module).get(CALL, { Prefer: 'wait=1' })).status).toBe(429);
  expect((await app.as(module).get(ALL)).status).toBe(200);
  expect((await app.as(other.module).get(CALL, { Prefer: 'wait=1' })).status).toBe(200);
  over.abort();
  await Promise.all(open);
  await expect.poll(() => app.api.eventSlots.takenBy(module.vendor.id)).toBe(0);
});

test('a key that is revoked ends the call that waits, though nothing changes', async ({ app }) => {
  const { module, vendor } = await installed(app);
  const waiting = app.as(module).get(CALL, { Prefer: 'wait=50' });
  await expect.poll(() => app.api.eventSlots.takenBy(module.vendor.id)).toBe(1);
  const { body } = await app.as(vendor).get(`/apiClients/${module.moduleId}`);
  await app.as(vendor).delete(`/apiClients/${module.moduleId}/${body.items[0].clientId as string}`);
  await expect.poll(() => app.api.eventSlots.takenBy(module.vendor.id), { timeout: 30_000 }).toBe(0);
  expect([401, 503]).toContain((await waiting).status);
});

async function openStream(
  app: TestApp,
  { moduleId, key }: TestModule,
  signal: AbortSignal,
  lastEventId: string | null = null,
) {
  return fetch(new URL(`/api/v8.0/Alerts${CALL}/${moduleId}?cursor=0&limit=${PAGE}`, app.url), {
    headers: {
      'X-Api-Key': key,
      Accept: 'text/event-stream',
      ...(lastEventId !== null && { 'Last-Event-ID': lastEventId }),
    },
    signal,
  });
}

/** Reads this number of server-sent events, after what is done before, and closes the stream. */
async function readEvents(
  app: TestApp,
  module: TestModule,
  lastEventId: string | null,
  count: number,
  before = async () => {},
) {
  const over = new AbortController();
  const stream = await openStream(app, module, over.signal, lastEventId);
  expect(stream.headers.get('content-type')).toContain('text/event-stream');
  const events: { id: string; event: string; data: Item }[] = [];
  let text = '';
  try {
    await before();
    for await (const piece of stream.body ?? []) {
      text += new TextDecoder().decode(piece as Uint8Array);
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const fields = Object.fromEntries(
          text
            .slice(0, end)
            .split('\n')
            .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
        ) as Record<string, string>;
        text = text.slice(end + 2);
        const { id = '', event = '', data } = fields;
        if (data !== undefined) events.push({ id, event, data: JSON.parse(data) as Item });
      }
      if (events.length >= count) break;
    }
  } finally {
    over.abort();
  }
  return events;
}

test('the stream sends what the feed has, and what changes later, and goes on after the last event', async ({
  app,
}) => {
  const { module, farmer } = await installed(app);
  const reading = readEvents(app, module, null, 4);
  await expect.poll(() => app.api.eventSlots.takenBy(module.vendor.id)).toBe(1);
  await putFarms(app, farmer, [sampleFarm()]);
  const events = await reading;
  const feed = itemsOf(await app.as(module).get(ALL));
  expect(events.map(({ data }) => data)).toEqual(feed);
  expect(events.map(({ id, event }) => [id, event])).toEqual(feed.map(({ cursor, type }) => [cursor, type]));
  const again = await readEvents(app, module, events[2]?.id ?? null, 1);
  expect(again.map(({ data }) => data)).toEqual(feed.slice(3));
});

test('while a client does not read its stream, few pages are read ahead for it; later it gets every change once and in order', async ({
  app,
}) => {
  const [{ module: slow }, { module: other }] = [await installed(app), await installed(app)];
  // Of 20 MB, which is more than the buffers of a connection take.
  for (const { moduleId } of [slow, other]) await makeChanges(app, moduleId, 200, { subject: LONG_SUBJECT });
  const idsOf = async ({ moduleId }: TestModule) => {
    await app.api.changes.sequence();
    return app.api.database('changes').where({ moduleId }).orderBy('position').pluck<string[]>('id');
  };
  const ids = await idsOf(slow);
  const note = vi.spyOn(app.api.dataReads, 'note');
  onTestFinished(() => note.mockRestore());
  const pagesOf = ({ moduleId }: TestModule) =>
    note.mock.calls.filter(([, read]) => read.moduleId === moduleId).length;
  const events = await readEvents(app, slow, null, ids.length, async () => {
    // Without the wait the process would read as far for the one as for the other.
    await readEvents(app, other, null, ids.length);
    expect(pagesOf(slow)).toBeLessThan(pagesOf(other) / 2);
  });
  expect(events.map(({ data }) => data.id)).toEqual(ids);
});

test('a comment while events wait for their turn has the ID of what was sent before them', async ({
  app,
}) => {
  const { module } = await installed(app);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const awaitTurn = vi.spyOn(app.api.admission.turns, 'awaitTurn');
  const over = new AbortController();
  onTestFinished(async () => {
    over.abort();
    awaitTurn.mockRestore();
    await expect.poll(() => app.api.eventSlots.takenBy(module.vendor.id)).toBe(0);
    vi.useRealTimers();
  });
  // The turn of the call, and that of its first page.
  awaitTurn.mockResolvedValueOnce().mockImplementationOnce(async () => {
    vi.advanceTimersByTime(COMMENT_MS);
    return Promise.resolve();
  });
  const stream = await openStream(app, module, over.signal);
  let text = '';
  for await (const piece of stream.body ?? []) {
    text += new TextDecoder().decode(piece as Uint8Array);
    if (text.includes('event: ')) break;
  }
  expect(text.split('\n\n')[0]).toBe(': still here\nid: 0');
});

test('a cursor after a change that a restore or a failover has lost is answered with 410, also when its position is taken', async ({
  app,
}) => {
  const { module } = await installed(app);
  const before = await app.as(module).get(ALL);
  const { database } = app.api;
  // Another change at each position, as after a restore: the IDs are new.
  await database('changes').update({ id: database.raw('gen_random_uuid()') });
  for (const cursor of [itemsOf(before)[0]?.cursor, before.body.nextCursor as string]) {
    const lost = await app.as(module).get(`${CALL}?cursor=${cursor ?? ''}`);
    expect([lost.status, lost.body.type]).toEqual([410, '/problems/changes-expired']);
  }
  const after = await app.as(module).get(ALL);
  expect((await app.as(module).get(`${CALL}?cursor=${after.body.nextCursor as string}`)).status).toBe(200);
});

test('a cursor before the oldest change that is kept is answered with 410, an idle one is not', async ({
  app,
}) => {
  const { module } = await installed(app);
  const first = await app.as(module).get(`${ALL}&limit=1`);
  const idle = await app.as(module).get(ALL);
  const { database } = app.api;
  await database('changes').update({ at: database.raw("now() - interval '31 days'") });
  await deleteOldChanges(database, 30);
  const expired = await app.as(module).get(`${CALL}?cursor=${first.body.nextCursor as string}`);
  expect([expired.status, expired.body.type]).toEqual([410, '/problems/changes-expired']);
  expect((await app.as(module).get(`${CALL}?cursor=${idle.body.nextCursor as string}`)).body).toMatchObject({
    items: [],
    nextCursor: idle.body.nextCursor,
  });
  expect((await app.as(module).get(ALL)).body.items).toEqual([]);
});
