import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { openDatabase } from '../../shared/db/database.ts';
import { seedModule } from '../bench/machine-access-seed.ts';
import { ChangeLane } from './change-lane.ts';
import type { StackSettings } from './fault.ts';
import type { FaultStack } from './fault-stack.ts';

const LANES = 4;
const LEAST_CHANGES = Number(process.env['FAULT_CHANGES'] ?? 400);
const SEED = { farms: 1, fields: 1, blocks: 0 };
/** One call in so many is not answered well, so that it is repeated. */
const REFUSES_IN = 10;
/** Longer than the claim of a worker that died, and the first waits of repeated calls. */
const MAX_DELIVERY_WAIT_MS = 180_000;

/** What became of the changes that were made while a fault repeated. */
export interface ChangeOutcome {
  readonly changes: number;
  /** Calls of webhooks, and how many of them were repeats. */
  readonly calls: number;
  readonly repeats: number;
  readonly issues: readonly string[];
}

/** Changes that are made, followed and delivered while a fault repeats. */
export interface ChangeWitness {
  /** Ends the changes, and compares. */
  finish(): Promise<ChangeOutcome>;
}

/** Whether a fault allows it: not one that may lose acknowledged commits, and not one with another version or host. */
export function allowsWitness({ postgres, previous, isOnHosts }: StackSettings): boolean {
  return postgres !== 'with a standby' && previous === undefined && isOnHosts !== true;
}

/** Starts farmers who change their farms, back ends that follow the feed, and a receiver that webhooks call. */
export async function startChangeWitness(stack: FaultStack): Promise<ChangeWitness> {
  const receiver = await openReceiver();
  const lanes: ChangeLane[] = [];
  for (let index = 0; index < LANES; index += 1) lanes.push(await openLane(stack, receiver.url));
  let isOver = false;
  const running = lanes.map(async (lane) => {
    let isWritten = false;
    const writing = lane.write(LEAST_CHANGES / LANES, () => isOver).finally(() => (isWritten = true));
    await Promise.all([writing, lane.follow(() => isWritten)]);
    await lane.compare();
  });
  // An error is reported when it is over.
  const ended = Promise.allSettled(running);
  return {
    async finish() {
      isOver = true;
      const errors = (await ended).flatMap((each) =>
        each.status === 'rejected' ? [String(each.reason)] : [],
      );
      const seen = lanes.flatMap((lane) => lane.seen);
      const lost = await receiver.missing(seen);
      receiver.close();
      await deleteSeeds(stack.databaseUrl, lanes);
      const issues = [...errors, ...lanes.flatMap((lane) => lane.issues), ...receiver.issues];
      if (lost > 0) issues.push(`${lost} changes were not delivered`);
      return {
        changes: seen.length,
        calls: receiver.calls(),
        repeats: receiver.calls() - seen.length,
        issues,
      };
    },
  };
}

async function openLane({ databaseUrl, parts, address }: FaultStack, url: string): Promise<ChangeLane> {
  const database = openDatabase({ url: databaseUrl, poolSize: 1 });
  const module = await seedModule(database, SEED);
  await database.destroy();
  const tokenFor = async (id: string) =>
    parts.issuer.token({ organizations: [{ id, roles: ['OrganizationAdmin'] }], expiresIn: 86_400 });
  const lane = new ChangeLane(address, module, await tokenFor(module.organizationId));
  const headers = { Authorization: `Bearer ${await tokenFor(module.vendorId)}` };
  const path = `/${module.vendorId}/webhooks/${module.moduleId}`;
  await lane.call({ method: 'POST', path, headers, body: { url } });
  return lane;
}

/** The seeded revisions have no archives: the comparison of rows with objects must not find them. */
async function deleteSeeds(databaseUrl: string, lanes: readonly ChangeLane[]): Promise<void> {
  const database = openDatabase({ url: databaseUrl, poolSize: 1 });
  const moduleIds = lanes.map(({ module }) => module.moduleId);
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
    /** How many of the changes were not delivered within the time that they may need. */
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
