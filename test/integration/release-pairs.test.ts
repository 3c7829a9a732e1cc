import http from 'node:http';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { holdLock } from '../support/held-lock.ts';
import { contextOf, openActor, runImport, type Actor } from '../support/import-actors.ts';
import { lockedCalls, lockWaits } from '../support/lock-waits.ts';
import {
  ACTIONS,
  applyImport,
  copyModule,
  readVisible,
  START,
  startPairMarket,
  visibleOf,
  type ImportEnding,
  type ModuleState,
  type PairMarket,
  type ReleaseAction,
} from '../support/release-pairs.ts';
import { samplePackage } from '../support/sample-package.ts';
import { StepGate } from '../support/step-gate.ts';

/*
 * Two things that happen to a module at once end as one of their two orders: what everybody sees, and both answers. An
 * import that was accepted before a decision never undoes it; one that was accepted after it is as any other.
 */

let market: PairMarket;
let importer: Actor;

beforeAll(async () => {
  market = await startPairMarket();
  importer = openActor(market.app);
});

afterAll(async () => {
  await importer.database.destroy();
  await market.app.stop();
});

const names = Object.keys(ACTIONS);
/** The outer circle, on Redis and S3, tries all states of an import, and each pair more often. */
const isOuter = inject('s3Store') !== null;
const ROUNDS = isOuter ? 10 : 1;

function actionOf(name: string): ReleaseAction {
  const action = ACTIONS[name];
  if (action === undefined) throw new Error(`no action ${name}`);
  return action;
}

/** The result of both in this order, with their statuses in the order of the call. */
function inOrder([first, second]: readonly [string, string], isReversed: boolean) {
  const [a, b] = [actionOf(first), actionOf(second)];
  const [between, one] = (isReversed ? b : a).apply(START);
  const [end, other] = (isReversed ? a : b).apply(between);
  return { ...visibleOf(end), statuses: isReversed ? [other, one] : [one, other] };
}

/** Copies a module, does both at once, and compares. */
async function expectOneOrder(first: string, second: string): Promise<void> {
  const moduleId = await copyModule(market);
  const calls = [first, second].map((name) => actionOf(name).call(market, moduleId));
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  const found = { ...(await readVisible(market, moduleId)), statuses };
  const orders = [inOrder([first, second], false), inOrder([first, second], true)];
  expect(orders, `${first} and ${second}`).toContainEqual(found);
}

test.each(names)('two at once end as one of their orders: %s and any', async (first) => {
  for (let round = 1; round <= ROUNDS; round += 1)
    await Promise.all(names.slice(names.indexOf(first)).map((second) => expectOneOrder(first, second)));
});

const packageOf = (moduleId: string) =>
  samplePackage(market.app.api.catalogue, {
    descriptor: { scope: null, moduleId, component: randomUUID() },
  });

async function accept(moduleId: string): Promise<string> {
  const headers = { Prefer: 'respond-async' };
  const answer = await market.app.importPackage(market.vendor, packageOf(moduleId), { headers });
  return String(answer.body.importId);
}

const run = (importId: string) => runImport(contextOf(market.app, importer), importId);

async function endingOf(importId: string): Promise<ImportEnding | undefined> {
  const { body } = await market.app.as(market.vendor).get(`/imports/${importId}`);
  if (body.status === 'rejected') return 'rejected';
  if (body.status !== 'succeeded') return undefined;
  return body.released === true ? 'released' : 'staged';
}

/** Sends the first half of an upload, and the rest when it is resumed; then it is accepted. */
async function startReceiving(moduleId: string): Promise<() => Promise<string>> {
  const { app, vendor } = market;
  const head =
    '--b\r\nContent-Disposition: form-data; name="file"; filename="p.zip"\r\nContent-Type: application/zip\r\n\r\n';
  const body = Buffer.concat([Buffer.from(head), packageOf(moduleId), Buffer.from('\r\n--b--\r\n')]);
  const request = http.request(`${app.url}/api/v8.0/${vendor.id}/ImportModuleAsync`, {
    method: 'POST',
    headers: {
      Authorization: vendor.admin,
      Prefer: 'respond-async',
      'Content-Type': 'multipart/form-data; boundary=b',
    },
  });
  const middle = body.length / 2;
  await new Promise((resolve) => request.write(body.subarray(0, middle), resolve));
  return async () => {
    const answered = new Promise<http.IncomingMessage>((resolve, reject) => {
      request.on('response', resolve).on('error', reject);
    });
    request.end(body.subarray(middle));
    let text = '';
    for await (const chunk of await answered) text += String(chunk);
    return (JSON.parse(text) as { importId: string }).importId;
  };
}

type Act = () => Promise<{ readonly status: number }>;
interface Ended {
  readonly importId: string;
  readonly status: number;
}

/** Stops an attempt before a call of the storage or an acquisition of a connection; it has not read the registry yet. */
async function runTo(step: number, moduleId: string, act: Act): Promise<Ended> {
  const importId = await accept(moduleId);
  importer.gate = new StepGate(step);
  const running = run(importId);
  await importer.gate.reached;
  const { status } = await act();
  importer.gate.open();
  await running;
  return { importId, status };
}

/** An import in each state, in which something happens to its module; returns when both have ended. */
const IMPORTS: Readonly<Record<string, (moduleId: string, act: Act) => Promise<Ended>>> = {
  async 'is received'(moduleId, act) {
    const resume = await startReceiving(moduleId);
    const { status } = await act();
    const importId = await resume();
    await run(importId);
    return { importId, status };
  },
  async 'is queued'(moduleId, act) {
    const importId = await accept(moduleId);
    const { status } = await act();
    await run(importId);
    return { importId, status };
  },
  'runs, at its first step': (moduleId, act) => runTo(1, moduleId, act),
  'runs, at its second step': (moduleId, act) => runTo(2, moduleId, act),
  'runs, at its third step': (moduleId, act) => runTo(3, moduleId, act),
  async 'is about to commit'(moduleId, act) {
    const importId = await accept(moduleId);
    // Its transaction has the module's lock, and waits for this one.
    const held = await holdLock(market.app, 'lock table module_files in share mode', []);
    importer.gate = new StepGate(0);
    const running = run(importId);
    await expect.poll(() => lockWaits(market.app)).toBe(1);
    let isAnswered = false;
    const acting = act().finally(() => (isAnswered = true));
    await expect.poll(() => isAnswered || lockedCalls(market.app) === 1).toBe(true);
    await held.release();
    const [{ status }] = await Promise.all([acting, running]);
    return { importId, status };
  },
};

/** The results that the model allows, for an import accepted before the action or after it. */
function allowed(name: string, state: string) {
  const action = actionOf(name);
  const resultOf = ([end, ending]: readonly [ModuleState, ImportEnding], status: number) => ({
    ...visibleOf(end),
    ending,
    status,
  });
  const [acted, status] = action.apply(START);
  const actionFirst = resultOf(applyImport(acted, state === 'is received' ? 'after' : 'before'), status);
  if (state !== 'is about to commit') return [actionFirst];
  const [imported, ending] = applyImport(START, 'before');
  const [end, lastStatus] = action.apply(imported);
  return [actionFirst, resultOf([end, ending], lastStatus)];
}

const states = isOuter ? Object.keys(IMPORTS) : ['is queued', 'is about to commit'];
const cells = states.flatMap((state) => names.map((name) => [state, name] as const));

test.each(cells)('while an import %s: %s', async (state, name) => {
  const moduleId = await copyModule(market);
  const ended = await IMPORTS[state]?.(moduleId, () => actionOf(name).call(market, moduleId));
  if (ended === undefined) throw new Error(`no state ${state}`);
  const { importId, status } = ended;
  const found = { ...(await readVisible(market, moduleId)), ending: await endingOf(importId), status };
  expect(allowed(name, state)).toContainEqual(found);
});
