import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { openDatabase } from '../../../shared/db/database.ts';
import { storeModule } from '../store-module.ts';
import { ChangeLane } from './change-lane.ts';
import type { StackSettings } from './fault.ts';
import type { FaultStack } from './stack/fault-stack.ts';
import { LaneCalls } from './lane-calls.ts';
import { ALERT_RULES } from './random-changes.ts';

const LANES = 4;
const LEAST_CHANGES = Number(process.env['FAULT_CHANGES'] ?? 400);
/** The farmers of each lane: one who installs and uninstalls the module, and some who use it; more for many changes. */
const FARMERS = Math.max(3, Math.ceil(LEAST_CHANGES / 1_000));
const CHANGES_PER_LANE = LEAST_CHANGES / LANES;
/** The seed of all choices; a run with the same one makes the same changes. */
const SEED = Number(process.env['FAULT_SEED'] ?? randomInt(1_000_000));
/** Apart from each other, since each farmer of a lane has one. */
const SEEDS_PER_LANE = FARMERS + 1;
/** One call in so many is not answered well, so that it is repeated. */
const REFUSES_IN = 10;
/** Longer than the claim of a worker that died, and the first waits of repeated calls. */
const MAX_DELIVERY_WAIT_MS = 180_000;

/** The result of the changes that were made while a fault repeated. */
export interface ChangeOutcome {
  readonly seed: number;
  readonly changes: number;
  /** Calls of webhooks, and how many of them were repeats. */
  readonly calls: number;
  readonly repeats: number;
  readonly issues: readonly string[];
}

/** Changes that are made, followed and delivered while a fault repeats. */
export interface ChangeWitness {
  /** Whether there are as many changes as are wanted, or there will be no more. */
  isEnough(): boolean;
  /** Ends the changes, and compares. */
  finish(): Promise<ChangeOutcome>;
}

/** Whether a fault allows it: not one that may lose acknowledged commits. */
export function allowsWitness({ postgres }: StackSettings): boolean {
  return postgres !== 'with a standby';
}

/** Starts farmers who make changes, back ends that follow the feed, and a receiver that webhooks call. */
export async function startChangeWitness(stack: FaultStack): Promise<ChangeWitness> {
  const receiver = await openReceiver();
  const lanes: ChangeLane[] = [];
  // Nothing on another host reaches the receiver of this one.
  const url = stack.hosts.length > 0 ? null : receiver.url;
  for (let index = 0; index < LANES; index += 1) lanes.push(await openLane(stack, index, url));
  let isOver = false;
  let hasFailed = false;
  const running = lanes.map(async (lane) => {
    let isWritten = false;
    const writing = lane.write(CHANGES_PER_LANE, () => isOver).finally(() => (isWritten = true));
    await Promise.all([writing, lane.follow(() => isWritten)]).catch((error: unknown) => {
      hasFailed = true;
      throw error;
    });
    await lane.compare();
  });
  // An error is reported when it is over.
  const ended = Promise.allSettled(running);
  return {
    isEnough: () => hasFailed || lanes.every((lane) => lane.hasWritten(CHANGES_PER_LANE)),
    async finish() {
      isOver = true;
      const errors = (await ended).flatMap((each) =>
        each.status === 'rejected' ? [String(each.reason)] : [],
      );
      const seen = lanes.flatMap((lane) => lane.seen);
      const lost = url === null ? 0 : await receiver.missing(seen);
      receiver.close();
      await deleteSeeds(stack.databaseUrl, lanes);
      const issues = [...errors, ...lanes.flatMap((lane) => lane.issues), ...receiver.issues];
      if (lost > 0) issues.push(`${lost} changes were not delivered`);
      const calls = receiver.calls();
      return { seed: SEED, changes: seen.length, calls, repeats: Math.max(calls - seen.length, 0), issues };
    },
  };
}

async function openLane(stack: FaultStack, index: number, url: string | null): Promise<ChangeLane> {
  const { databaseUrl, parts, address } = stack;
  const database = openDatabase({ url: databaseUrl, poolSize: 1 });
  const module = await storeModule(database, FARMERS, ALERT_RULES);
  await database.destroy();
  const tokenOf = async (id: string) => {
    const organizations = [{ id, roles: ['OrganizationAdmin'] }];
    return parts.issuer.token({ organizations, expiresIn: 86_400 });
  };
  const farmers = module.farmerIds.map(async (id) => ({ organizationId: id, token: await tokenOf(id) }));
  const seed = SEED + index * SEEDS_PER_LANE;
  if (url !== null) {
    const vendor = new LaneCalls(address.urls, { Authorization: `Bearer ${await tokenOf(module.vendorId)}` });
    const path = `/${module.vendorId}/webhooks/${module.moduleId}`;
    await vendor.send({ method: 'POST', path, body: { url } });
  }
  return new ChangeLane({ ...module, urls: address.urls, farmers: await Promise.all(farmers), seed });
}

/** The seeded revisions have no archives: the comparison of rows with objects must not find them. */
async function deleteSeeds(databaseUrl: string, lanes: readonly ChangeLane[]): Promise<void> {
  const database = openDatabase({ url: databaseUrl, poolSize: 1 });
  const moduleIds = lanes.map(({ moduleId }) => moduleId);
  await database('module_revisions').whereIn('moduleId', moduleIds).delete();
  await database.destroy();
}

/** A receiver that does not answer each call well. */
async function openReceiver() {
  const bodies = new Map<string, string>();
  const issues: string[] = [];
  let calls = 0;
  const server: Server = createServer((request, response) => {
    void text(request).then((body) => {
      const id = String(request.headers['webhook-id']);
      calls += 1;
      const known = bodies.get(id);
      if (known !== undefined && known !== body)
        issues.push(`the change ${id} was delivered with two bodies`);
      if (!body.includes(id)) issues.push(`the body of ${id} is of another change`);
      bodies.set(id, body);
      const isRefused = known === undefined && randomInt(REFUSES_IN) === 0;
      if (isRefused) request.socket.destroy();
      else response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    issues,
    calls: () => calls,
    /** The number of changes that were not delivered in time. */
    async missing(ids: readonly string[]): Promise<number> {
      const untilMs = Date.now() + MAX_DELIVERY_WAIT_MS;
      const count = () => ids.filter((id) => !bodies.has(id)).length;
      while (count() > 0 && Date.now() < untilMs) await setTimeout(200);
      return count();
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
