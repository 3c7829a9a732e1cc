import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, vi } from 'vitest';
import { ADMIN } from '../support/members.ts';
import { startReading } from '../support/open-answer.ts';
import { serviceTest } from '../support/service-test.ts';
import type { TestApp, TestOrganization } from '../support/test-app.ts';

const test = serviceTest({ worker: false });

const DAY = '2020-05-01';
const RANGE = `from=${DAY}T00:00:00Z&to=${DAY}T01:00:00Z`;

/** Writes entries of one hour, one a second, about `texts` in turn; the first is at midnight. */
async function addEntries(
  { api }: TestApp,
  { id: organizationId }: TestOrganization,
  count: number,
  texts: readonly string[],
): Promise<void> {
  await api.database.raw(
    `insert into audit_log (id, organization_id, created_at, actor, action, details, trace_id)
     select gen_random_uuid(), :organizationId::uuid, :start::timestamptz + i * interval '1 second', text, 'module.exported',
       jsonb_build_object('text', text), '00000000000000000000000000000000'
     from generate_series(0, :count - 1) i
     cross join lateral (select (:texts::text[])[1 + i % :length] as text) one`,
    { organizationId, start: `${DAY}T00:00:00Z`, count, texts: [...texts], length: texts.length },
  );
}

/** The records of a CSV text, by RFC 4180. */
function recordsOf(csv: string): readonly (readonly string[])[] {
  expect(csv.endsWith('\r\n')).toBe(true);
  const records: string[][] = [];
  let record: string[] = [];
  let [field, isQuoted] = ['', false];
  for (let at = 0; at < csv.length; at += 1) {
    const character = csv.charAt(at);
    if (character === '"') {
      // Of a doubled quote, the second one starts the next quoted part.
      if (!isQuoted && csv.charAt(at - 1) === '"') field += '"';
      isQuoted = !isQuoted;
    } else if (isQuoted || !/[,\r\n]/.test(character)) field += character;
    else if (character !== '\r') {
      record.push(field);
      field = '';
      if (character === ',') continue;
      records.push(record);
      record = [];
    }
  }
  return records;
}

const inForm = (app: TestApp, vendor: TestOrganization, Accept: string, query = RANGE) =>
  app.as(vendor, vendor.member).get(`/auditLog?${query}`, { Accept });

test('a range includes its start and excludes its end; other texts than times, and a reversed range, are 400', async ({
  app,
}) => {
  const vendor = await app.organization();
  await addEntries(app, vendor, 10, ['a']);
  const read = (query: string) => app.as(vendor).get(`/auditLog?${query}`);
  const { body } = await read(`from=${DAY}T00:00:02Z&to=${DAY}T02:00:05%2B02:00`);
  expect(body.items.map(({ at }: { at: string }) => at)).toEqual(
    [4, 3, 2].map((second) => `${DAY}T00:00:0${second}.000+00:00`),
  );
  expect((await read(`from=${DAY}T00:00:02Z&to=${DAY}T00:00:02Z`)).body.items).toEqual([]);
  for (const query of ['from=yesterday', `to=${DAY}`, 'from=1588291200', `from=${DAY}T00:00:00`]) {
    const { status, text } = await read(query);
    expect([status, text], query).toEqual([400, expect.stringContaining('as in RFC 3339')]);
  }
  const reversed = await read(`from=${DAY}T00:00:02Z&to=${DAY}T00:00:01Z`);
  expect([reversed.status, reversed.body.detail]).toEqual([400, 'to must not be before from.']);
});

type Entry = Readonly<Record<string, unknown>>;

/** The entries of the range by pages of JSON. */
async function entriesOf(app: TestApp, vendor: TestOrganization, cursor = ''): Promise<readonly Entry[]> {
  const next = cursor === '' ? '' : `&cursor=${cursor}`;
  const { body } = await app.as(vendor).get(`/auditLog?${RANGE}&limit=200${next}`);
  const items = body.items as readonly Entry[];
  return body.nextCursor === null ? items : [...items, ...(await entriesOf(app, vendor, body.nextCursor))];
}

test('NDJSON and CSV have the entries of all pages in their order', async ({ app }) => {
  const vendor = await app.organization();
  await addEntries(app, vendor, 601, ['a', 'b']);
  const pages = await entriesOf(app, vendor);
  expect(pages).toHaveLength(601);
  const lines = await inForm(app, vendor, 'application/x-ndjson');
  expect(lines.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  expect(
    lines.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual(pages);
  const csv = await inForm(app, vendor, 'text/csv');
  expect([csv.headers.get('content-type'), csv.headers.get('vary')]).toEqual([
    'text/csv; charset=utf-8',
    expect.stringContaining('Accept'),
  ]);
  const [head = [], ...records] = recordsOf(csv.text);
  expect(head).toEqual(Object.keys(pages[0] ?? {}));
  const textOf = (value: unknown) =>
    typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
  expect(records).toEqual(pages.map((entry) => head.map((name) => textOf(entry[name]))));
  // Of an empty range only the header.
  expect((await inForm(app, vendor, 'text/csv', `to=${DAY}T00:00:00Z`)).text).toBe(`${head.join()}\r\n`);
});

test('CSV is quoted as in RFC 4180, and formulas become text', async ({ app }) => {
  const vendor = await app.organization();
  const formulas = [
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    '=HYPERLINK("https://x.example","a")',
  ];
  const texts = [...formulas, 'a "quote", a comma', 'two\r\nlines', "it's", 'a=b', ''];
  await addEntries(app, vendor, texts.length, texts);
  const [head = [], ...records] = recordsOf((await inForm(app, vendor, 'text/csv')).text);
  const actors = records.map((record) => record[head.indexOf('actor')]).toReversed();
  expect(actors).toEqual(texts.map((text) => (formulas.includes(text) ? `'${text}` : text)));
});

test('the forms of a whole range take neither limit nor cursor', async ({ app, vendor }) => {
  const { status, body } = await inForm(app, vendor, 'text/csv', 'limit=5');
  expect([status, body.detail]).toEqual([400, expect.stringContaining('limit and cursor')]);
});

test('what is not acceptable is JSON, as everywhere', async ({ app, vendor }) => {
  const { headers } = await inForm(app, vendor, 'image/png');
  expect(headers.get('content-type')).toMatch(/^application\/json/);
});

test('a stream takes a slot of the exports of its organization, and ends when its reader loses access', async ({
  app,
}) => {
  const vendor = await app.organization();
  const subject = randomUUID();
  await app.as(vendor).put(`/members/${subject}`, ADMIN);
  // More than the socket buffers of both ends.
  await addEntries(app, vendor, 3_000, ['x'.repeat(4_000)]);
  const address = new URL(`/api/v8.0/${vendor.id}/auditLog?${RANGE}`, app.url);
  const headers = { Authorization: await app.bearer({ subject }), Accept: 'text/csv' };
  const { exportSlots } = app.api.moduleFiles;
  const slots = app.config.sharing.maxExportsPerOrganization;
  const readers = await Promise.all(Array.from({ length: slots }, () => startReading(address, headers)));
  expect(readers.map(({ status }) => status)).toEqual(readers.map(() => 200));
  expect((await inForm(app, vendor, 'text/csv')).status).toBe(429);
  const log = vi.spyOn(app.api.log, 'info');
  onTestFinished(() => log.mockRestore());
  await app.as(vendor).delete(`/members/${subject}`);
  await expect.poll(() => exportSlots.taken(), { timeout: 30_000 }).toBe(0);
  expect(log.mock.calls.flat()).toContain('reader lost access');
  for (const reader of readers) expect((await reader.readRest()).isWhole).toBe(false);
});
